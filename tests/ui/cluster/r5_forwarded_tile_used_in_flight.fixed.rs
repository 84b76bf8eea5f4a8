//! A tile that is forwarded is what the copy reads: its mailbox is not released meanwhile.

use ptx::cluster::{ByTile, Cluster, Inbox, Received, Route};

pub fn body<'c>(
    cluster: &Cluster<'c>,
    inbox: Inbox<'c, u32, 128, ByTile>,
    tile: Received<'c, u32, 128, ByTile, ()>,
    route: Route<'c>,
) {
    let sent = inbox.send(cluster, route, tile);
    let (_inbox, (_free, ())) = sent.receive(cluster.cta()).release(cluster);
}
