//! After the barrier that closes its memory, a peer uses the memory for something else.

use ptx::cluster::Cluster;
use ptx::shared::{Loaded, Shared};

pub fn body<'c>(cluster: &Cluster<'c>, tile: Shared<'c, u32, 128, Loaded>) -> Option<u32> {
    let tile = cluster.publish(tile).sync(cluster);
    #[cfg(not(fixed))]
    let peer = tile.peer(1)?;
    #[cfg(fixed)]
    let word = tile.peer(1)?.get(0);
    let _tile = tile.close().sync(cluster);
    #[cfg(not(fixed))]
    {
        peer.get(0)
    }
    #[cfg(fixed)]
    {
        word
    }
}
