//! A DSMEM buffer receives the next tile after the store has read this one.

use ptx::bulk;
use ptx::cluster::{ByTile, Cluster, Received};
use ptx::global::GlobalTileMut;

pub fn body<'c>(cluster: &Cluster<'c>, tile: Received<'c, u32, 128, ByTile, ()>, dst: GlobalTileMut<u32, 128>) {
    let cta = cluster.cta();
    let store = bulk::store(cta, tile, dst).commit(cta);
    #[cfg(fixed)]
    let (tile, _writing) = store.wait_read(cta);
    let (_inbox, ()) = tile.release(cluster);
    #[cfg(not(fixed))]
    let _ = store.wait_read(cta);
}
