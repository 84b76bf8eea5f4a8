//! The CTAs that send to a DSMEM buffer learn at a barrier of the cluster that a store has read it.

use ptx::bulk;
use ptx::cluster::{ByTile, Cluster, Received};
use ptx::global::GlobalTileMut;

pub fn body<'c>(cluster: &Cluster<'c>, tile: Received<'c, u32, 128, ByTile, ()>, dst: GlobalTileMut<u32, 128>) {
    let cta = cluster.cta();
    let store = bulk::store(cta, tile, dst).commit(cta);
    #[cfg(not(fixed))]
    let _ = store.wait_read(cta).sync(cta).release().sync(cta);
    #[cfg(fixed)]
    let _ = store.wait_read(cta).sync(cta).release().sync(cluster);
}
