//! The tiles of up to 15 other CTAs arrive in one phase: the mbarrier counts all their bytes.

use ptx::cluster::{ByTile, Cluster, Inbox};
use ptx::qualifier::op;
use ptx::shared::{Fenced, Shared};

#[cfg(not(fixed))]
pub fn body<'c>(cluster: &Cluster<'c>, inbox: Inbox<'c, u32, 20000, ByTile>, src: Shared<'c, u32, 20000, Fenced>) {
    let _sent = inbox.send_reduce_to_others(cluster, op::Add, src);
}

#[cfg(fixed)]
pub fn body<'c>(cluster: &Cluster<'c>, inbox: Inbox<'c, u32, 16384, ByTile>, src: Shared<'c, u32, 16384, Fenced>) {
    let _sent = inbox.send_reduce_to_others(cluster, op::Add, src);
}
