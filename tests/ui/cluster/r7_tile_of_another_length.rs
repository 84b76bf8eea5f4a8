//! A tile that is sent has the type of the DSMEM buffer, which expects the bytes of that type.

use ptx::cluster::{ByTile, Cluster, Inbox, Permutation};
use ptx::shared::{Fenced, Shared};

#[cfg(not(fixed))]
pub fn body<'c>(
    cluster: &Cluster<'c>,
    inbox: Inbox<'c, u32, 128, ByTile>,
    src: Shared<'c, u32, 64, Fenced>,
    permutation: Permutation<'c>,
) {
    let _sent = inbox.send(cluster, permutation, src);
}

#[cfg(fixed)]
pub fn body<'c>(
    cluster: &Cluster<'c>,
    inbox: Inbox<'c, u32, 64, ByTile>,
    src: Shared<'c, u32, 64, Fenced>,
    permutation: Permutation<'c>,
) {
    let _sent = inbox.send(cluster, permutation, src);
}
