//! Memory that peers change is not readable by its own CTA either.

use ptx::cluster::{ClusterSmem, ReadOnly};
use ptx::shared::Published;

pub fn written(tile: &ClusterSmem<'_, u32, 128, ReadOnly<Published>>) -> Option<u32> {
    tile.get(0)
}

pub fn added_to(tile: &ClusterSmem<'_, u32, 128, ReadOnly<Published>>) -> Option<u32> {
    tile.get(0)
}
