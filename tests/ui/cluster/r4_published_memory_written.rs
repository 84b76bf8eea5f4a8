//! Memory that peers read is not writable.

use ptx::cluster::Cluster;
use ptx::shared::{Loaded, Shared};

pub fn body<'c>(cluster: &Cluster<'c>, tile: Shared<'c, u32, 128, Loaded>) {
    #[cfg(not(fixed))]
    let tile = cluster.publish(tile).sync(cluster);
    #[cfg(fixed)]
    let tile = cluster.open_write_only(tile).sync(cluster);
    let _ = tile.peer(1).map(|peer| peer.set(0, 1));
}
