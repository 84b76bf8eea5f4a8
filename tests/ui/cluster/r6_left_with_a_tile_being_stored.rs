//! A DSMEM buffer that a store reads stays in the cluster's scope.

use ptx::bulk;
use ptx::cluster::{ByTile, DsmemBuffer};
use ptx::global::{GlobalTile, GlobalTileMut};
use ptx::group::Cta;
use ptx::mbarrier::Ready;
use ptx::trap;

pub fn kernel(
    cta: &mut Cta,
    buffer: DsmemBuffer<u32, 128, ByTile, Ready>,
    src: GlobalTile<u32, 128>,
    dst: GlobalTileMut<u32, 128>,
) {
    cta.cluster_scope(buffer, |cluster, inbox| {
        let cta = cluster.cta();
        let Some(row) = cluster.row::<2>() else { trap() };
        let tile = inbox.multicast(&cluster, row, src).receive(cta);
        #[cfg(not(fixed))]
        {
            let store = bulk::store(cta, tile, dst).commit(cta);
            (cluster, store)
        }
        #[cfg(fixed)]
        {
            let tile = bulk::store(cta, tile, dst).commit(cta).wait_read(cta).sync(cta);
            let (inbox, _src) = tile.release().sync(&cluster);
            (cluster, inbox)
        }
    });
}
