//! Memory that peers write is not readable.

use ptx::cluster::{ClusterSmem, ReadOnly, WriteOnly};
use ptx::shared::Loaded;

#[cfg(not(fixed))]
pub fn body(tile: &ClusterSmem<'_, u32, 128, WriteOnly>) -> Option<u32> {
    tile.peer(1)?.get(0)
}

#[cfg(fixed)]
pub fn body(tile: &ClusterSmem<'_, u32, 128, ReadOnly<Loaded>>) -> Option<u32> {
    tile.peer(1)?.get(0)
}
