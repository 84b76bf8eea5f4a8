//! `.shared::cluster` has no `.min.u64`, unlike global memory.

use ptx::cluster::{ByTile, Cluster, Inbox, Permutation};
use ptx::qualifier::op;
use ptx::shared::{Fenced, Shared};

pub fn body<'c>(
    cluster: &Cluster<'c>,
    inbox: Inbox<'c, u64, 128, ByTile>,
    src: Shared<'c, u64, 128, Fenced>,
    permutation: Permutation<'c>,
) {
    #[cfg(not(fixed))]
    let _sent = inbox.send_reduce(cluster, op::Min, permutation, src);
    #[cfg(fixed)]
    let _sent = inbox.send_reduce(cluster, op::Add, permutation, src);
}
