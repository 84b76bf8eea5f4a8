//! A CTA waits on its own DSMEM buffer, never on that of a peer.

use ptx::cluster::{ByElement, Cluster, Inbox, Permutation};

pub fn body<'c>(cluster: &Cluster<'c>, inbox: Inbox<'c, u32, 128, ByElement>, permutation: Permutation<'c>) {
    let sent = inbox.store(cluster, permutation, |i| i as u32);
    #[cfg(not(fixed))]
    let _received = sent.receive(cluster.cta(), permutation);
    #[cfg(fixed)]
    let _received = sent.receive(cluster.cta());
}
