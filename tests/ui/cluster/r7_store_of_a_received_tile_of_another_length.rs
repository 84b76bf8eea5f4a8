//! A store writes as many elements as it reads.

use ptx::bulk;
use ptx::cluster::{ByTile, Cluster, Received};
use ptx::global::GlobalTileMut;

pub fn body<'c>(
    cluster: &Cluster<'c>,
    tile: Received<'c, u32, 128, ByTile, ()>,
    (_short, _long): (GlobalTileMut<u32, 64>, GlobalTileMut<u32, 128>),
) {
    let cta = cluster.cta();
    #[cfg(not(fixed))]
    let _ = bulk::store(cta, tile, _short).commit(cta).wait_read(cta);
    #[cfg(fixed)]
    let _ = bulk::store(cta, tile, _long).commit(cta).wait_read(cta);
}
