//! A copy into a peer's array would complete on the sender's mbarrier: a DSMEM buffer holds array and mbarrier together.

use ptx::bulk;
use ptx::cluster::{WriteOnly, Peer};
use ptx::global::GlobalTile;
use ptx::launch::Cta;
use ptx::mbarrier::{Mbarrier, Ready};

pub fn body(cta: &Cta, bar: Mbarrier<Ready>, peer: Peer<'_, u32, 128, WriteOnly>, src: GlobalTile<u32, 128>) {
    let _load = bulk::load(cta, bar, peer, src);
}
