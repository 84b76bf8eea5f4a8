//! A group belongs to the cluster of its scope.

use ptx::cluster::{ByTile, DsmemBuffer};
use ptx::global::GlobalTile;
use ptx::group::Cta;
use ptx::mbarrier::Ready;
use ptx::trap;

pub fn kernel(cta: &mut Cta, inbox: DsmemBuffer<u32, 128, ByTile, Ready>, src: GlobalTile<u32, 128>) {
    #[cfg(not(fixed))]
    let mut row = None;
    #[cfg(not(fixed))]
    let inbox = cta.cluster_scope(inbox, |cluster, inbox| {
        row = cluster.row::<2>();
        (cluster, inbox)
    });
    #[cfg(fixed)]
    let inbox = cta.cluster_scope(inbox, |cluster, inbox| (cluster, inbox));
    cta.cluster_scope(inbox, |cluster, inbox| {
        #[cfg(not(fixed))]
        let Some(row) = row else { trap() };
        #[cfg(fixed)]
        let Some(row) = cluster.row::<2>() else { trap() };
        let (inbox, _src) =
            inbox.multicast(&cluster, row, src).receive(cluster.cta()).release().sync(&cluster);
        (cluster, inbox)
    });
}
