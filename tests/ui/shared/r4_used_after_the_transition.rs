//! A transition consumes its handle, and a barrier the transition: neither is used twice.

use ptx::launch::Cta;
use ptx::shared::{ElementStores, Fenced, Free, Loaded, Published, Shared, FreeGeneric, Written};

type Tile<'s, State> = Shared<'s, f32, 64, State>;

pub fn read_after_release<'s>(cta: &Cta, tile: Tile<'s, Loaded>) -> Tile<'s, Free> {
    let free = tile.release_at_sync();
    let _x = tile.get(0);
    cta.sync_with(free)
}

pub fn read_after_giving_up<'s>(cta: &Cta, tile: Tile<'s, Published>) -> Tile<'s, FreeGeneric> {
    let spent = tile.release_at_sync();
    let _x = tile.get(0);
    cta.sync_with(spent)
}

pub fn stored_after_publish<'s>(cta: &Cta, tile: Tile<'s, ElementStores>) -> Tile<'s, Published> {
    let published = tile.publish_at_sync();
    tile.set(0, 1.0);
    cta.sync_with(published)
}

pub fn read_after_the_fence<'s>(cta: &Cta, tile: Tile<'s, Published>) -> Tile<'s, Fenced> {
    let fenced = tile.to_async_at_sync();
    let _x = tile.get(0);
    cta.sync_with(fenced)
}

pub fn filled_after_the_fence<'s>(cta: &Cta, tile: Tile<'s, FreeGeneric>) -> (Tile<'s, Fenced>, Tile<'s, Written>) {
    let fenced = tile.to_async_at_sync();
    let written = tile.write(cta, |_| 0.0);
    (cta.sync_with(fenced), written)
}

pub fn loaded_and_free<'s>(tile: Tile<'s, Fenced>) -> (Tile<'s, Loaded>, Tile<'s, Free>) {
    (tile.into_loaded(), tile.into_free())
}

pub fn synced_twice<'s>(cta: &Cta, tile: Tile<'s, Written>) -> [Tile<'s, Published>; 2] {
    let published = tile.publish_at_sync();
    [cta.sync_with(published), cta.sync_with(published)]
}

pub fn taken_as_it_is_twice<'s>(
    tile: Shared<'s, f32, 64, Free>,
) -> (Shared<'s, f32, 64, Fenced>, Shared<'s, f32, 64, Fenced>) {
    (tile.into_fenced(), tile.into_fenced())
}
