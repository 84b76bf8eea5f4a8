//! A multicast goes to a set of CTAs, each by its bit: the rank 3 would be CTAs 0 and 1.

use ptx::cluster::{ByTile, Cluster, Inbox};
use ptx::global::GlobalTile;

pub fn body<'c>(cluster: &Cluster<'c>, inbox: Inbox<'c, u32, 128, ByTile>, src: GlobalTile<u32, 128>) {
    let _sent = inbox.multicast_to(cluster, 3, src);
}
