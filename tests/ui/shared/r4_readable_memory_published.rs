//! `publish` is for stores of threads: loaded, published and fenced memory has no such stores.

use ptx::group::Cta;
use ptx::shared::{Fenced, Loaded, Published, Shared};

pub fn loaded<'s>(cta: &Cta, tile: Shared<'s, u32, 64, Loaded>) -> Shared<'s, u32, 64, Published> {
    #[cfg(not(fixed))]
    {
        tile.publish().sync(cta)
    }
    #[cfg(fixed)]
    {
        tile.update(cta, |_, v| v + 1).publish().sync(cta)
    }
}

#[cfg(not(fixed))]
pub fn twice<'s>(cta: &Cta, tile: Shared<'s, u32, 64, Published>) -> Shared<'s, u32, 64, Published> {
    tile.publish().sync(cta)
}

#[cfg(fixed)]
pub fn twice<'s>(_: &Cta, tile: Shared<'s, u32, 64, Published>) -> Shared<'s, u32, 64, Published> {
    tile
}

pub fn fenced<'s>(cta: &Cta, tile: Shared<'s, u32, 64, Fenced>) -> Shared<'s, u32, 64, Published> {
    #[cfg(not(fixed))]
    {
        tile.publish().sync(cta)
    }
    #[cfg(fixed)]
    {
        tile.into_free().write(cta, |i| i as u32).publish().sync(cta)
    }
}
