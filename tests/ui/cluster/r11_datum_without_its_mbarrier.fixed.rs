//! A copy into a peer's array would complete on one's own mbarrier: datum and mbarrier are one DSMEM buffer.

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
