//! What has been read is one's own again.

use ptx::cluster::{ByTile, Channel, Cluster, Inbox, Route, Sent};
use ptx::shared::{Fenced, Free, Shared};

pub fn tile<'c>(
    cluster: &Cluster<'c>,
    route: Route<'c>,
    inbox: Inbox<'c, u32, 128, ByTile>,
    src: Shared<'c, u32, 128, Fenced>,
) -> (Sent<'c, u32, 128, ByTile, ()>, Shared<'c, u32, 128, Free>) {
    let (sent, src) = inbox.send(cluster, route, src).wait_read(cluster.cta());
    (sent, src.into_free())
}

pub fn of_a_multicast<'c>(
    cluster: &Cluster<'c>,
    row: ptx::cluster::Group<'c, 2>,
    inbox: Inbox<'c, u32, 128, ByTile>,
    src: ptx::global::GlobalTile<u32, 128>,
) {
    let _sent = inbox.multicast(cluster, row, src);
}

pub fn once<'c>(cluster: &Cluster<'c>, channel: Channel<'c, u32, 128>, src: Shared<'c, u32, 128, Fenced>) {
    let (_sent, _src) = channel.send(cluster, src).wait_read(cluster.cta());
}
