//! A received tile is readable only after the wait.

use ptx::cluster::{ByTile, Cluster, Peers, Inbox};
use ptx::global::GlobalTile;

pub fn body<'c>(cluster: &Cluster<'c>, all: Peers<'c, 4>, inbox: Inbox<'c, u32, 128, ByTile>, src: GlobalTile<u32, 128>) {
    #[cfg(not(fixed))]
    let sent = inbox.multicast(cluster, all, src);
    #[cfg(not(fixed))]
    let _ = sent.get(0);
    #[cfg(fixed)]
    let received = inbox.multicast(cluster, all, src).receive(cluster.cta());
    #[cfg(fixed)]
    let _ = received.get(0);
}
