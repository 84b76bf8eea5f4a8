//! What an inner scope lends is this CTA's alone: no other CTA may send there.

use ptx::cluster::{ByTile, Cluster, Mailbox};
use ptx::global::GlobalTile;
use ptx::mbarrier::Ready;

pub fn body<'c>(cluster: &mut Cluster<'c>, mailbox: Mailbox<f32, 64, ByTile, Ready>, tile: GlobalTile<f32, 64>) {
    let Some(pair) = cluster.whole::<2>() else { return };
    cluster.cta_mut().lend(mailbox, |cta, inbox| {
        let (inbox, _tile) = inbox.multicast(cluster, pair, tile).receive(cta).release(cluster);
        inbox
    });
}
