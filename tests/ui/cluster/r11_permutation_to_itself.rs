//! A permutation is not made from a rank: the rank could be that of the CTA itself.

use ptx::cluster::{ByElement, Cluster, Inbox, Permutation};
use ptx::qualifier::op;

pub fn body<'c>(cluster: &Cluster<'c>, inbox: Inbox<'c, u32, 128, ByElement>) {
    #[cfg(not(fixed))]
    let _sent = inbox.reduce(cluster, op::Add, Permutation { to: cluster.cta_rank() }, |_| 1);
    #[cfg(fixed)]
    if let Some(permutation) = cluster.exchange(1) {
        let _sent = inbox.reduce(cluster, op::Add, permutation, |_| 1);
    }
}
