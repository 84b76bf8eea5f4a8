//! A tile that is forwarded belongs to the copy, which lets it be read.

use ptx::cluster::{ByTile, Cluster, Inbox, Received, Route};

pub fn body<'c>(
    cluster: &Cluster<'c>,
    inbox: Inbox<'c, u32, 128, ByTile>,
    tile: Received<'c, u32, 128, ByTile, ()>,
    route: Route<'c>,
) {
    let sent = inbox.send(cluster, route, tile);
    let _first = tile.get(0);
    let _ = sent.receive(cluster.cta()).release(cluster);
}
