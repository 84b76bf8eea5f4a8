//! A store in flight owns its tile.

use ptx::bulk;
use ptx::cluster::{ByTile, Cluster, Received};
use ptx::global::GlobalTileMut;

pub fn body<'c>(cluster: &Cluster<'c>, tile: Received<'c, u32, 128, ByTile, ()>, dst: GlobalTileMut<u32, 128>) {
    let cta = cluster.cta();
    #[cfg(not(fixed))]
    let store = bulk::store(cta, tile, dst).commit(cta);
    let _first = tile.get(0);
    #[cfg(fixed)]
    let store = bulk::store(cta, tile, dst).commit(cta);
    let _ = store.wait_read(cta);
}
