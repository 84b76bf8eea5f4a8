//! A rank is no permutation: two CTAs could send to the same CTA, or a CTA to itself.

use ptx::cluster::{ByElement, Cluster, Inbox};

pub fn body<'c>(cluster: &Cluster<'c>, inbox: Inbox<'c, u32, 128, ByElement>) {
    #[cfg(not(fixed))]
    let _sent = inbox.store(cluster, 1, |i| i as u32);
    #[cfg(fixed)]
    if let Some(permutation) = cluster.rotation(1) {
        let _sent = inbox.store(cluster, permutation, |i| i as u32);
    }
}
