//! Vectors are read from published memory, and written to open memory.

use ptx::cluster::{ClusterSmem, WriteOnly, ReadOnly};
use ptx::shared::Loaded;

pub fn read(tile: &ClusterSmem<'_, u32, 128, ReadOnly<Loaded>>) -> Option<[u32; 4]> {
    tile.peer(1)?.get_vector(0)
}

pub fn write(tile: &ClusterSmem<'_, u32, 128, WriteOnly>) -> Option<()> {
    tile.peer(1)?.set_vector(0, [0; 4])
}
