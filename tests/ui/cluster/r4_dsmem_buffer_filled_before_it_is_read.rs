//! A CTA sends again only after every CTA has received and read.

use ptx::cluster::{ByTile, Cluster, Peers, Inbox};
use ptx::global::GlobalTile;

pub fn body<'c>(cluster: &Cluster<'c>, all: Peers<'c, 4>, inbox: Inbox<'c, u32, 128, ByTile>, src: GlobalTile<u32, 128>) {
    let received = inbox.multicast(cluster, all, src).receive(cluster.cta());
    #[cfg(not(fixed))]
    let _sent = received.multicast(cluster, all, src);
    #[cfg(fixed)]
    let (inbox, src) = received.release().sync(cluster);
    #[cfg(fixed)]
    let _sent = inbox.multicast(cluster, all, src);
}
