//! A tile comes from a slice, which proves its bounds.

use ptx::global::{GlobalTile, Tiles};

#[cfg(not(fixed))]
pub fn kernel(base: *const f32) -> GlobalTile<f32, 1024> {
    GlobalTile { base }
}

#[cfg(fixed)]
pub fn kernel(tiles: Tiles<f32, 1024>) -> Option<GlobalTile<f32, 1024>> {
    tiles.get(0)
}
