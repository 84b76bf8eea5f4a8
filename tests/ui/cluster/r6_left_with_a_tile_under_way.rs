//! A scope cannot end while a tile is in flight to a DSMEM buffer.

use ptx::cluster::{ByTile, DsmemBuffer};
use ptx::global::GlobalTile;
use ptx::group::Cta;
use ptx::mbarrier::Ready;
use ptx::trap;

pub fn kernel(cta: &mut Cta, inbox: DsmemBuffer<u32, 128, ByTile, Ready>, src: GlobalTile<u32, 128>) {
    cta.cluster_scope(inbox, |cluster, inbox| {
        let Some(all) = cluster.whole::<4>() else { trap() };
        let sent = inbox.multicast(&cluster, all, src);
        #[cfg(not(fixed))]
        {
            (cluster, sent)
        }
        #[cfg(fixed)]
        {
            let (inbox, _src) = sent.receive(cluster.cta()).release().sync(&cluster);
            (cluster, inbox)
        }
    });
}
