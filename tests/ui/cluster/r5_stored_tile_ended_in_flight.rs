//! The last scope ends the use of a DSMEM buffer after the store has read it.

use ptx::bulk;
use ptx::cluster::{ByTile, Cluster, Received};
use ptx::global::GlobalTileMut;

pub fn body<'c>(cluster: &Cluster<'c>, tile: Received<'c, u32, 128, ByTile, ()>, dst: GlobalTileMut<u32, 128>) {
    let cta = cluster.cta();
    let store = bulk::store(cta, tile, dst).commit(cta);
    #[cfg(not(fixed))]
    let (_ended, ()) = tile.end();
    #[cfg(not(fixed))]
    let _ = store.wait_read(cta);
    #[cfg(fixed)]
    let (_ended, ()) = store.end(cta);
}
