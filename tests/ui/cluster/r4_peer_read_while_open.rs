//! Memory that peers write is not readable.

use ptx::cluster::{ClusterSmem, WriteOnly};

pub fn body(tile: &ClusterSmem<'_, u32, 128, WriteOnly>) -> Option<u32> {
    tile.peer(1)?.get(0)
}
