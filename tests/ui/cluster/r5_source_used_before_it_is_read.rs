//! A source in flight may still be read by the copy: `source` gives read access only.

use ptx::cluster::{ByTile, Cluster, Inbox, Permutation};
use ptx::shared::{Fenced, Free, Shared};

#[cfg(not(fixed))]
pub fn tile<'c>(
    cluster: &Cluster<'c>,
    permutation: Permutation<'c>,
    inbox: Inbox<'c, u32, 128, ByTile>,
    src: Shared<'c, u32, 128, Fenced>,
) -> Shared<'c, u32, 128, Free> {
    let sent = inbox.send(cluster, permutation, src);
    sent.source().into_free()
}

#[cfg(fixed)]
pub fn tile<'c>(
    cluster: &Cluster<'c>,
    permutation: Permutation<'c>,
    inbox: Inbox<'c, u32, 128, ByTile>,
    src: Shared<'c, u32, 128, Fenced>,
) -> (Inbox<'c, u32, 128, ByTile>, Shared<'c, u32, 128, Free>) {
    let (inbox, src) = inbox.send(cluster, permutation, src).receive(cluster.cta()).release().sync(cluster);
    (inbox, src.into_free())
}
