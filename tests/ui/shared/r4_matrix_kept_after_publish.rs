//! A matrix view borrows its tile, and ends when the tile changes its state.

use ptx::group::Cta;
use ptx::qualifier::swizzle_mode;
use ptx::shared::{ElementStores, FreeGeneric, Loaded, Published, Shared};

type Tile<'s, State> = Shared<'s, f32, 1024, State>;

pub fn stored_after_publish<'s>(cta: &Cta, tile: Tile<'s, ElementStores>) -> Tile<'s, Published> {
    let matrix = tile.as_2d::<32>();
    #[cfg(not(fixed))]
    let published = tile.publish().sync(cta);
    matrix.set([0, 1], 1.0);
    #[cfg(not(fixed))]
    {
        published
    }
    #[cfg(fixed)]
    {
        tile.publish().sync(cta)
    }
}

pub fn read_after_release<'s>(cta: &Cta, tile: Tile<'s, Published>) -> Tile<'s, FreeGeneric> {
    let matrix = tile.as_2d::<32>().swizzled(swizzle_mode::B128);
    #[cfg(not(fixed))]
    let spent = tile.release().sync(cta);
    let _x = matrix.get([0, 1]);
    #[cfg(not(fixed))]
    {
        spent
    }
    #[cfg(fixed)]
    {
        tile.release().sync(cta)
    }
}

#[cfg(not(fixed))]
pub fn kept_for_later<'a>(tile: Tile<'a, Loaded>) -> impl Fn() -> Option<f32> + 'a {
    let matrix = tile.as_2d::<32>();
    move || matrix.get([0, 1])
}

#[cfg(fixed)]
pub fn kept_for_later<'a>(tile: &'a Tile<'a, Loaded>) -> impl Fn() -> Option<f32> + 'a {
    let matrix = tile.as_2d::<32>();
    move || matrix.get([0, 1])
}
