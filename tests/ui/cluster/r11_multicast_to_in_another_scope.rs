//! A DSMEM buffer is of one scope of a cluster, in which all CTAs have theirs.

use ptx::cluster::{ByTile, Cluster, Inbox};
use ptx::global::GlobalTile;
use ptx::mask::CtaMask;

pub fn body<'c, 'd>(cluster: &Cluster<'c>, inbox: Inbox<'d, u32, 128, ByTile>, src: GlobalTile<u32, 128>) {
    let _sent = inbox.multicast_to(cluster, CtaMask::CTA_0 | CtaMask::CTA_1, src);
}
