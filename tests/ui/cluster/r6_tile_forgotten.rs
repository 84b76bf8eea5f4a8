//! A forgotten tile leaves nothing to return from the scope.

use ptx::cluster::{ByTile, DsmemBuffer};
use ptx::global::GlobalTile;
use ptx::group::Cta;
use ptx::mbarrier::Ready;
use ptx::trap;

pub fn kernel(cta: &mut Cta, inbox: DsmemBuffer<u32, 128, ByTile, Ready>, src: GlobalTile<u32, 128>) {
    cta.cluster_scope(inbox, |cluster, inbox| {
        let Some(all) = cluster.whole::<4>() else { trap() };
        #[cfg(not(fixed))]
        core::mem::forget(inbox.multicast(&cluster, all, src));
        #[cfg(fixed)]
        let (inbox, _src) =
            inbox.multicast(&cluster, all, src).receive(cluster.cta()).release().sync(&cluster);
        (cluster, inbox)
    });
}
