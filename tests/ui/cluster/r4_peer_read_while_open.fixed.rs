//! Memory that peers write is not readable.

use ptx::cluster::{ClusterSmem, ReadOnly};
use ptx::shared::Loaded;

pub fn body(tile: &ClusterSmem<'_, u32, 128, ReadOnly<Loaded>>) -> Option<u32> {
    tile.peer(1)?.get(0)
}
