//! All threads of the CTA hold a received tile: one thread alone cannot store it.

use ptx::bulk;
use ptx::cluster::{ByTile, Cluster, Received};
use ptx::global::GlobalTileMut;

pub fn body<'c>(cluster: &Cluster<'c>, tile: Received<'c, u32, 128, ByTile, ()>, dst: GlobalTileMut<u32, 128>) {
    let cta = cluster.cta();
    #[cfg(not(fixed))]
    cta.invoke_one((), |thread, ()| {
        let _ = bulk::store(thread, tile, dst).commit(thread).wait_read(thread);
    });
    #[cfg(fixed)]
    let _ = bulk::store(cta, tile, dst).commit(cta).wait_read(cta);
}
