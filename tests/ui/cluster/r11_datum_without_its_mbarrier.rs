//! A copy into a peer's array would complete on the sender's mbarrier: a DSMEM buffer holds array and mbarrier together.

use ptx::bulk;
use ptx::cluster::{ByTile, Cluster, Peers, Inbox, Peer, WriteOnly};
use ptx::global::GlobalTile;
use ptx::group::Cta;
use ptx::mbarrier::{Mbarrier, Ready};

#[cfg(not(fixed))]
pub fn body(cta: &Cta, bar: Mbarrier<Ready>, peer: Peer<'_, u32, 128, WriteOnly>, src: GlobalTile<u32, 128>) {
    let _load = bulk::load(cta, bar, peer, src);
}

#[cfg(fixed)]
pub fn body<'c>(cluster: &Cluster<'c>, all: Peers<'c, 4>, inbox: Inbox<'c, u32, 128, ByTile>, src: GlobalTile<u32, 128>) {
    let _sent = inbox.multicast(cluster, all, src);
}
