//! The DSMEM buffer expects the bytes of its own type, and so that many are sent.

use ptx::cluster::{ByTile, Cluster, Inbox, Permutation};
use ptx::shared::{Fenced, Shared};

pub fn body<'c>(
    cluster: &Cluster<'c>,
    inbox: Inbox<'c, u32, 64, ByTile>,
    src: Shared<'c, u32, 64, Fenced>,
    permutation: Permutation<'c>,
) {
    let _sent = inbox.send(cluster, permutation, src);
}
