//! Bulk reductions to a peer have the operations that the table of 9.7.9.25.4.2 lists for `.shared::cluster`.

use ptx::cluster::{ByTile, Cluster, Inbox, Permutation};
use ptx::qualifier::op;
use ptx::shared::{Fenced, Shared};

#[cfg(not(fixed))]
pub fn body<'c>(
    cluster: &Cluster<'c>,
    inbox: Inbox<'c, f32, 128, ByTile>,
    src: Shared<'c, f32, 128, Fenced>,
    permutation: Permutation<'c>,
) {
    let _sent = inbox.send_reduce(cluster, op::Add, permutation, src);
}

#[cfg(fixed)]
pub fn body<'c>(
    cluster: &Cluster<'c>,
    inbox: Inbox<'c, u32, 128, ByTile>,
    src: Shared<'c, u32, 128, Fenced>,
    permutation: Permutation<'c>,
) {
    let _sent = inbox.send_reduce(cluster, op::Add, permutation, src);
}
