//! The CTAs that send to a DSMEM buffer learn at a barrier of the cluster that a store has read it.

use ptx::bulk;
use ptx::cluster::{ByTile, Cluster, Received};
use ptx::global::GlobalTileMut;

pub fn body<'c>(cluster: &Cluster<'c>, tile: Received<'c, u32, 128, ByTile, ()>, dst: GlobalTileMut<u32, 128>) {
    let cta = cluster.cta();
    let store = bulk::store(cta, tile, dst).commit(cta);
    #[cfg(not(fixed))]
    let _ = cta.sync_with(store.wait_read_at_sync(cta).release_at_sync());
    #[cfg(fixed)]
    let _ = cluster.sync_with(store.wait_read_at_sync(cta).release_at_sync());
}
