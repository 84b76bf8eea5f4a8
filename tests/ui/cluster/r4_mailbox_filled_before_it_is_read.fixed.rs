//! Nobody sends again before every CTA has received and read.

use ptx::cluster::{ByTile, Cluster, Inbox};
use ptx::global::GlobalTile;

pub fn body<'c>(cluster: &Cluster<'c>, inbox: Inbox<'c, u32, 128, ByTile>, src: GlobalTile<u32, 128>) {
    let received = inbox.multicast(cluster, src).receive(cluster.cta());
    let (inbox, src) = received.release(cluster);
    let _sent = inbox.multicast(cluster, src);
}
