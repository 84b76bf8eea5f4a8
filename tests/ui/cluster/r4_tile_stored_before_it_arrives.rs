//! A tile that has not arrived is not the source of a store.

use ptx::bulk;
use ptx::cluster::{ByTile, Cluster, Sent};
use ptx::global::GlobalTileMut;

pub fn body<'c>(cluster: &Cluster<'c>, sent: Sent<'c, u32, 128, ByTile, ()>, dst: GlobalTileMut<u32, 128>) {
    let cta = cluster.cta();
    #[cfg(not(fixed))]
    let _ = bulk::store(cta, sent, dst).commit(cta).wait_read(cta).sync(cta);
    #[cfg(fixed)]
    let _ = bulk::store(cta, sent.receive(cta), dst).commit(cta).wait_read(cta).sync(cta);
}
