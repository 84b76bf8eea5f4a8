//! A transition is no handle: `.sync(cta)` returns the handle in its next state.

use ptx::bulk;
use ptx::global::GlobalTileMut;
use ptx::group::{Cta, Together};
use ptx::shared::{Free, FreeGeneric, Loaded, Published, Shared, Written};

type Tile<'s, State> = Shared<'s, f32, 64, State>;

#[cfg(not(fixed))]
pub fn read_before_all_have_stored(tile: Tile<Written>) -> Option<f32> {
    tile.publish().get(0)
}

#[cfg(fixed)]
pub fn read_before_all_have_stored(cta: &Cta, tile: Tile<Written>) -> Option<f32> {
    tile.publish().sync(cta).get(0)
}

#[cfg(not(fixed))]
pub fn freed_before_all_have_read<'s>(tile: Tile<'s, Loaded>) -> Tile<'s, Free> {
    tile.release()
}

#[cfg(fixed)]
pub fn freed_before_all_have_read<'s>(cta: &Cta, tile: Tile<'s, Loaded>) -> Tile<'s, Free> {
    tile.release().sync(cta)
}

#[cfg(not(fixed))]
pub fn spent_before_all_have_read<'s>(tile: Tile<'s, Published>) -> Tile<'s, FreeGeneric> {
    tile.release()
}

#[cfg(fixed)]
pub fn spent_before_all_have_read<'s>(cta: &Cta, tile: Tile<'s, Published>) -> Tile<'s, FreeGeneric> {
    tile.release().sync(cta)
}

pub fn stored_before_all_have_fenced(
    cta: &Cta,
    (a, b, c): (Tile<Written>, Tile<Published>, Tile<FreeGeneric>),
    [to_a, to_b, to_c]: [GlobalTileMut<f32, 64>; 3],
) {
    #[cfg(not(fixed))]
    let _ = bulk::store(cta, a.to_async(), to_a);
    #[cfg(not(fixed))]
    let _ = bulk::store(cta, b.to_async(), to_b);
    #[cfg(not(fixed))]
    let _ = bulk::store(cta, c.to_async(), to_c);
    #[cfg(fixed)]
    let (a, b, c) = (a.to_async(), b.to_async(), c.to_async()).sync(cta);
    #[cfg(fixed)]
    let _ = bulk::store(cta, a, to_a);
    #[cfg(fixed)]
    let _ = bulk::store(cta, b, to_b);
    #[cfg(fixed)]
    let _ = bulk::store(cta, c, to_c);
}

pub fn synced_without_a_transition<'s>(cta: &Cta, tile: Tile<'s, Written>) -> Tile<'s, Published> {
    #[cfg(not(fixed))]
    {
        tile.sync(cta)
    }
    #[cfg(fixed)]
    {
        tile.publish().sync(cta)
    }
}
