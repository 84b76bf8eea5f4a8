//! What is being sent may still be read: it comes back from `wait_read`, and `source` lends it for reading alone.

use ptx::cluster::{ByTile, Channel, Cluster, Inbox, Route};
use ptx::shared::{Fenced, Free, Shared};

pub fn tile<'c>(
    cluster: &Cluster<'c>,
    route: Route<'c>,
    inbox: Inbox<'c, u32, 128, ByTile>,
    src: Shared<'c, u32, 128, Fenced>,
) -> Shared<'c, u32, 128, Free> {
    let sent = inbox.send(cluster, route, src);
    sent.source().into_free()
}

pub fn of_a_multicast<'c>(
    cluster: &Cluster<'c>,
    row: ptx::cluster::Group<'c, 2>,
    inbox: Inbox<'c, u32, 128, ByTile>,
    src: ptx::global::GlobalTile<u32, 128>,
) {
    let _sent = inbox.multicast(cluster, row, src).wait_read(cluster.cta());
}

pub fn twice<'c>(cluster: &Cluster<'c>, channel: Channel<'c, u32, 128>, src: Shared<'c, u32, 128, Fenced>) {
    let (sent, _src) = channel.send(cluster, src).wait_read(cluster.cta());
    let _sent = sent.wait_read(cluster.cta());
}
