//! The leader knows that the store has read the DSMEM buffer; the barrier tells the other threads.

use ptx::bulk;
use ptx::cluster::{ByTile, Cluster, Received};
use ptx::global::GlobalTileMut;

pub fn body<'c>(cluster: &Cluster<'c>, tile: Received<'c, u32, 128, ByTile, ()>, dst: GlobalTileMut<u32, 128>) {
    let cta = cluster.cta();
    let store = bulk::store(cta, tile, dst).commit(cta);
    #[cfg(not(fixed))]
    let tile = store.wait_read(cta);
    #[cfg(fixed)]
    let tile = store.wait_read(cta).sync(cta);
    let (_inbox, ()) = tile.release().sync(cluster);
}
