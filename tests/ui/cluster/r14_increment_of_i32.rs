//! `red.async.inc` takes `u32` only.

use ptx::cluster::{ByElement, Cluster, Inbox, Permutation};
use ptx::qualifier::op;

#[cfg(not(fixed))]
pub fn body<'c>(cluster: &Cluster<'c>, inbox: Inbox<'c, i32, 128, ByElement>, permutation: Permutation<'c>) {
    let _sent = inbox.reduce(cluster, op::Inc, permutation, |_| 9);
}

#[cfg(fixed)]
pub fn body<'c>(cluster: &Cluster<'c>, inbox: Inbox<'c, u32, 128, ByElement>, permutation: Permutation<'c>) {
    let _sent = inbox.reduce(cluster, op::Inc, permutation, |_| 9);
}
