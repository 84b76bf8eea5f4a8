//! Vectors are read from published memory, and written to open memory.

use ptx::cluster::{ClusterSmem, ReadOnly, WriteOnly};
use ptx::shared::Loaded;

#[cfg(not(fixed))]
pub fn read(tile: &ClusterSmem<'_, u32, 128, WriteOnly>) -> Option<[u32; 4]> {
    tile.peer(1)?.get_vector(0)
}

#[cfg(fixed)]
pub fn read(tile: &ClusterSmem<'_, u32, 128, ReadOnly<Loaded>>) -> Option<[u32; 4]> {
    tile.peer(1)?.get_vector(0)
}

#[cfg(not(fixed))]
pub fn write(tile: &ClusterSmem<'_, u32, 128, ReadOnly<Loaded>>) -> Option<()> {
    tile.peer(1)?.set_vector(0, [0; 4])
}

#[cfg(fixed)]
pub fn write(tile: &ClusterSmem<'_, u32, 128, WriteOnly>) -> Option<()> {
    tile.peer(1)?.set_vector(0, [0; 4])
}
