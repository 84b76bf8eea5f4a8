//! The destination of a multicast is a group, in which every CTA of the cluster takes part.

use ptx::cluster::{ByTile, Cluster, Inbox};
use ptx::global::GlobalTile;
use ptx::mask::CtaMask;
use ptx::trap;

pub fn body<'c>(cluster: &Cluster<'c>, inbox: Inbox<'c, u32, 128, ByTile>, src: GlobalTile<u32, 128>) {
    #[cfg(not(fixed))]
    let _sent = inbox.multicast(cluster, CtaMask::CTA_1, src);
    #[cfg(fixed)]
    let Some(all) = cluster.whole::<2>() else { trap() };
    #[cfg(fixed)]
    let _sent = inbox.multicast(cluster, all, src);
}
