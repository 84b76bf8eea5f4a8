//! What a loan lends is this CTA's alone: no other CTA may send there.

use ptx::cluster::{ByTile, Mailbox};
use ptx::global::GlobalTile;
use ptx::launch::Cta;
use ptx::mbarrier::Ready;

pub fn kernel(cta: &mut Cta, mailbox: Mailbox<f32, 64, ByTile, Ready>, tile: GlobalTile<f32, 64>) {
    cta.lend(mailbox, |cta, inbox| {
        cta.cluster((), |cluster, ()| {
            let Some(pair) = cluster.whole::<2>() else { return (cluster, ()) };
            _ = inbox.multicast(&cluster, pair, tile);
            (cluster, ())
        });
        loop {}
    });
}
