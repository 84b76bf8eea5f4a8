//! `peer` returns `None` if the cluster has no CTA of that rank.

use ptx::cluster::{ClusterSmem, WriteOnly};

pub fn body(tile: &ClusterSmem<'_, u32, 128, WriteOnly>) {
    #[cfg(not(fixed))]
    tile.peer(3).set(0, 1);
    #[cfg(fixed)]
    if let Some(peer) = tile.peer(3) {
        peer.set(0, 1);
    }
}
