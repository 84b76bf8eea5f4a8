//! After the barrier that closes its memory, a peer uses the memory for something else.

use ptx::cluster::Cluster;
use ptx::qualifier::sem;
use ptx::shared::{Loaded, Shared};

pub fn body<'c>(cluster: &Cluster<'c>, tile: Shared<'c, u32, 128, Loaded>) -> Option<u32> {
    let tile = cluster.open_atomic(tile).sync(cluster);
    let count = tile.peer(1)?.atomic(0)?;
    #[cfg(fixed)]
    let old = count.fetch_add(1, sem::Relaxed);
    let _tile = tile.close().sync(cluster);
    #[cfg(not(fixed))]
    {
        Some(count.fetch_add(1, sem::Relaxed))
    }
    #[cfg(fixed)]
    {
        Some(old)
    }
}
