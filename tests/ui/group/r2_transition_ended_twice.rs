//! A transition ends once: at a barrier, or with the last scope.

use ptx::group::{AfterSync, Cta};
use ptx::shared::{Ended, Published, Shared, SharedArray, Written};

type Memory = SharedArray<u32, 128>;
type Tile<'s, State> = Shared<'s, u32, 128, State>;

#[cfg(not(fixed))]
pub fn synced_and_ended<'s>(cta: &Cta, tile: AfterSync<Tile<'s, Published>>) -> (Tile<'s, Published>, Ended<'s, Memory>) {
    (tile.sync(cta), tile.end())
}

#[cfg(fixed)]
pub fn synced_and_ended<'s>(cta: &Cta, tile: AfterSync<Tile<'s, Published>>) -> Tile<'s, Published> {
    tile.sync(cta)
}

#[cfg(not(fixed))]
pub fn ended_and_synced<'s>(cta: &Cta, tile: Tile<'s, Written>) -> (Ended<'s, Memory>, Tile<'s, Published>) {
    let published = tile.publish();
    (published.end(), published.sync(cta))
}

#[cfg(fixed)]
pub fn ended_and_synced<'s>(tile: Tile<'s, Written>) -> Ended<'s, Memory> {
    let published = tile.publish();
    published.end()
}
