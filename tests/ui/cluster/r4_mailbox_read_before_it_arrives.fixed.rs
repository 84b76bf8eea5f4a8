//! What is sent here is read after the wait.

use ptx::cluster::{ByTile, Cluster, Inbox};
use ptx::global::GlobalTile;

pub fn body<'c>(cluster: &Cluster<'c>, inbox: Inbox<'c, u32, 128, ByTile>, src: GlobalTile<u32, 128>) {
    let received = inbox.multicast(cluster, src).receive(cluster.cta());
    let _ = received.get(0);
}
