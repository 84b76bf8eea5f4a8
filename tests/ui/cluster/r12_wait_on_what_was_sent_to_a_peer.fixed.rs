//! The receiver waits on its own mailbox; there is no waiting on that of a peer.

use ptx::cluster::{ByElement, Cluster, Inbox, Route};

pub fn body<'c>(cluster: &Cluster<'c>, inbox: Inbox<'c, u32, 128, ByElement>, route: Route<'c>) {
    let sent = inbox.store(cluster, route, |i| i as u32);
    let _received = sent.receive(cluster.cta());
}
