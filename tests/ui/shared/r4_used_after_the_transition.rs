//! A transition consumes its handle, and a barrier the transition: neither is used twice.

use ptx::group::Cta;
use ptx::shared::{ElementStores, Fenced, Free, FreeGeneric, Loaded, Published, Shared, Written};

type Tile<'s, State> = Shared<'s, f32, 64, State>;

pub fn read_after_release<'s>(cta: &Cta, tile: Tile<'s, Loaded>) -> Tile<'s, Free> {
    #[cfg(not(fixed))]
    let free = tile.release();
    let _x = tile.get(0);
    #[cfg(fixed)]
    let free = tile.release();
    free.sync(cta)
}

pub fn read_after_giving_up<'s>(cta: &Cta, tile: Tile<'s, Published>) -> Tile<'s, FreeGeneric> {
    #[cfg(not(fixed))]
    let spent = tile.release();
    let _x = tile.get(0);
    #[cfg(fixed)]
    let spent = tile.release();
    spent.sync(cta)
}

pub fn stored_after_publish<'s>(cta: &Cta, tile: Tile<'s, ElementStores>) -> Tile<'s, Published> {
    #[cfg(not(fixed))]
    let published = tile.publish();
    tile.set(0, 1.0);
    #[cfg(fixed)]
    let published = tile.publish();
    published.sync(cta)
}

pub fn read_after_the_fence<'s>(cta: &Cta, tile: Tile<'s, Published>) -> Tile<'s, Fenced> {
    #[cfg(not(fixed))]
    let fenced = tile.to_async();
    let _x = tile.get(0);
    #[cfg(fixed)]
    let fenced = tile.to_async();
    fenced.sync(cta)
}

#[cfg(not(fixed))]
pub fn filled_after_the_fence<'s>(cta: &Cta, tile: Tile<'s, FreeGeneric>) -> (Tile<'s, Fenced>, Tile<'s, Written>) {
    let fenced = tile.to_async();
    let written = tile.write(cta, |_| 0.0);
    (fenced.sync(cta), written)
}

#[cfg(fixed)]
pub fn filled_after_the_fence<'s>(cta: &Cta, tile: Tile<'s, FreeGeneric>) -> Tile<'s, Written> {
    let fenced = tile.to_async();
    fenced.sync(cta).into_free().write(cta, |_| 0.0)
}

#[cfg(not(fixed))]
pub fn loaded_and_free<'s>(tile: Tile<'s, Fenced>) -> (Tile<'s, Loaded>, Tile<'s, Free>) {
    (tile.into_loaded(), tile.into_free())
}

#[cfg(fixed)]
pub fn loaded_and_free<'s>(cta: &Cta, tile: Tile<'s, Fenced>) -> Tile<'s, Free> {
    tile.into_loaded().release().sync(cta)
}

#[cfg(not(fixed))]
pub fn synced_twice<'s>(cta: &Cta, tile: Tile<'s, Written>) -> [Tile<'s, Published>; 2] {
    let published = tile.publish();
    [published.sync(cta), published.sync(cta)]
}

#[cfg(fixed)]
pub fn synced_twice<'s>(cta: &Cta, tile: Tile<'s, Written>) -> Tile<'s, Published> {
    let published = tile.publish();
    published.sync(cta)
}
