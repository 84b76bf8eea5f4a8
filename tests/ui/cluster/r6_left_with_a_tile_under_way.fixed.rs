//! A scope does not end while something is under way to a mailbox.

use ptx::cluster::{ByTile, Mailbox};
use ptx::global::GlobalTile;
use ptx::launch::{Cta, trap};
use ptx::mbarrier::Ready;

pub fn kernel(cta: &mut Cta, inbox: Mailbox<u32, 128, ByTile, Ready>, src: GlobalTile<u32, 128>) {
    cta.cluster(inbox, |cluster, inbox| {
        let Some(all) = cluster.whole::<4>() else { trap() };
        let sent = inbox.multicast(&cluster, all, src);
        let (inbox, _src) = sent.receive(cluster.cta()).release(&cluster);
        (cluster, inbox)
    });
}
