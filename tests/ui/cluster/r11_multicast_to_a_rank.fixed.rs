//! A multicast to CTA 3 alone.

use ptx::cluster::{ByTile, Cluster, Inbox};
use ptx::global::GlobalTile;
use ptx::mask::CtaMask;

pub fn body<'c>(cluster: &Cluster<'c>, inbox: Inbox<'c, u32, 128, ByTile>, src: GlobalTile<u32, 128>) {
    let _sent = inbox.multicast_to(cluster, CtaMask::CTA_3, src);
}
