//! A DSMEM buffer belongs to one scope of the cluster, in which each CTA has its buffer.

use ptx::cluster::{ByTile, Cluster, Inbox};
use ptx::global::GlobalTile;
use ptx::mask::CtaMask;

#[cfg(not(fixed))]
pub fn body<'c, 'd>(cluster: &Cluster<'c>, inbox: Inbox<'d, u32, 128, ByTile>, src: GlobalTile<u32, 128>) {
    let _sent = inbox.multicast_to(cluster, CtaMask::CTA_0 | CtaMask::CTA_1, src);
}

#[cfg(fixed)]
pub fn body<'c>(cluster: &Cluster<'c>, inbox: Inbox<'c, u32, 128, ByTile>, src: GlobalTile<u32, 128>) {
    let _sent = inbox.multicast_to(cluster, CtaMask::CTA_0 | CtaMask::CTA_1, src);
}
