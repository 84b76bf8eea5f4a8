//! The leader knows that the store has read the DSMEM buffer; the barrier tells the other threads.

use ptx::bulk;
use ptx::cluster::{ByTile, Cluster, Received};
use ptx::global::GlobalTileMut;

pub fn body<'c>(cluster: &Cluster<'c>, tile: Received<'c, u32, 128, ByTile, ()>, dst: GlobalTileMut<u32, 128>) {
    let cta = cluster.cta();
    let store = bulk::store(cta, tile, dst).commit(cta);
    #[cfg(not(fixed))]
    let (tile, _writing) = store.wait_read_at_sync(cta);
    #[cfg(fixed)]
    let (tile, _writing) = cta.sync_with(store.wait_read_at_sync(cta));
    let (_inbox, ()) = tile.release(cluster);
}
