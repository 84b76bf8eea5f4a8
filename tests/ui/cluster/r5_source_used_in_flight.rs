//! A source in flight is not writable: the copy owns it until every CTA has received.

use ptx::cluster::{ByTile, Cluster, Inbox, Permutation};
use ptx::shared::{Loaded, Shared};

pub fn body<'c>(
    cluster: &Cluster<'c>,
    inbox: Inbox<'c, u32, 128, ByTile>,
    src: Shared<'c, u32, 128, Loaded>,
    permutation: Permutation<'c>,
) {
    let sent = inbox.send(cluster, permutation, src);
    #[cfg(fixed)]
    let (_inbox, src) = sent.receive(cluster.cta()).release(cluster);
    let _src = src.update(cluster.cta(), |_, v| v + 1);
    #[cfg(not(fixed))]
    let _ = sent.receive(cluster.cta()).release(cluster);
}
