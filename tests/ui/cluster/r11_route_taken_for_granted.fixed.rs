//! A rotation by 0, or by the cluster's size, would lead to the CTA itself: a copy to another CTA wants another.

use ptx::cluster::{ByTile, Cluster, Inbox};
use ptx::shared::{Fenced, Shared};

pub fn body<'c>(
    cluster: &Cluster<'c>,
    inbox: Inbox<'c, u32, 128, ByTile>,
    src: Shared<'c, u32, 128, Fenced>,
) {
    if let Some(permutation) = cluster.rotation(1) {
        let _sent = inbox.send(cluster, permutation, src);
    }
}
