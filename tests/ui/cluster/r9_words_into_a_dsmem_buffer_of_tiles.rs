//! One proxy fills a DSMEM buffer, and the buffer's type says which.

use ptx::cluster::{ByElement, ByTile, Cluster, Inbox, Permutation};
use ptx::qualifier::op;

#[cfg(not(fixed))]
pub fn body<'c>(cluster: &Cluster<'c>, permutation: Permutation<'c>, [a, b, c]: [Inbox<'c, u32, 128, ByTile>; 3]) {
    let _sent = a.reduce_to_others(cluster, op::Add, |_| 1);
    let _sent = b.reduce(cluster, op::Add, permutation, |_| 1);
    let _sent = c.store(cluster, permutation, |_| 1);
}

#[cfg(fixed)]
pub fn body<'c>(cluster: &Cluster<'c>, permutation: Permutation<'c>, [a, b, c]: [Inbox<'c, u32, 128, ByElement>; 3]) {
    let _sent = a.reduce_to_others(cluster, op::Add, |_| 1);
    let _sent = b.reduce(cluster, op::Add, permutation, |_| 1);
    let _sent = c.store(cluster, permutation, |_| 1);
}
