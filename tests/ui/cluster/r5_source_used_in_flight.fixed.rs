//! What is being sent is not changed: the copy has it until every CTA has received.

use ptx::cluster::{ByTile, Cluster, Inbox, Route};
use ptx::shared::{Loaded, Shared};

pub fn body<'c>(
    cluster: &Cluster<'c>,
    inbox: Inbox<'c, u32, 128, ByTile>,
    src: Shared<'c, u32, 128, Loaded>,
    route: Route<'c>,
) {
    let sent = inbox.send(cluster, route, src);
    let (_inbox, src) = sent.receive(cluster.cta()).release(cluster);
    let _src = src.update(cluster.cta(), |_, v| v + 1);
}
