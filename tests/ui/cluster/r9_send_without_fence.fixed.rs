//! What threads wrote is fenced before a bulk copy sends it.

use ptx::cluster::{ByTile, Cluster, Inbox, Route};
use ptx::shared::{Shared, Written};

pub fn body<'c>(
    cluster: &Cluster<'c>,
    inbox: Inbox<'c, u32, 128, ByTile>,
    src: Shared<'c, u32, 128, Written>,
    route: Route<'c>,
) {
    let _sent = inbox.send(cluster, route, src.to_async(cluster.cta()));
}
