//! A copy into a peer's array would complete on the sender's mbarrier: a DSMEM buffer holds array and mbarrier together.

use ptx::cluster::{ByTile, Cluster, Group, Inbox};
use ptx::global::GlobalTile;

pub fn body<'c>(
    cluster: &Cluster<'c>,
    all: Group<'c, 4>,
    inbox: Inbox<'c, u32, 128, ByTile>,
    src: GlobalTile<u32, 128>,
) {
    let _sent = inbox.multicast(cluster, all, src);
}
