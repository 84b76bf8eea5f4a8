//! The cluster may have no CTA of that rank.

use ptx::cluster::{ClusterSmem, Open};

pub fn body(tile: &ClusterSmem<'_, u32, 128, Open>) {
    tile.peer(3).set(0, 1);
}
