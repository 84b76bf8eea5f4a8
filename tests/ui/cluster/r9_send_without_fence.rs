//! Stores of threads are fenced before a bulk copy sends them.

use ptx::cluster::{ByTile, Cluster, Inbox, Permutation};
use ptx::shared::{Shared, Written};

pub fn body<'c>(
    cluster: &Cluster<'c>,
    inbox: Inbox<'c, u32, 128, ByTile>,
    src: Shared<'c, u32, 128, Written>,
    permutation: Permutation<'c>,
) {
    #[cfg(not(fixed))]
    let _sent = inbox.send(cluster, permutation, src);
    #[cfg(fixed)]
    let _sent = inbox.send(cluster, permutation, src.to_async().sync(cluster.cta()));
}
