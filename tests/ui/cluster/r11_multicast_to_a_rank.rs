//! A multicast takes a mask of CTAs, not a rank: the number 3 would mean the CTAs 0 and 1.

use ptx::cluster::{ByTile, Cluster, Inbox};
use ptx::global::GlobalTile;
use ptx::mask::CtaMask;

pub fn body<'c>(cluster: &Cluster<'c>, inbox: Inbox<'c, u32, 128, ByTile>, src: GlobalTile<u32, 128>) {
    #[cfg(not(fixed))]
    let _sent = inbox.multicast_to(cluster, 3, src);
    #[cfg(fixed)]
    let _sent = inbox.multicast_to(cluster, CtaMask::CTA_3, src);
}
