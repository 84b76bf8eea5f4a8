//! `rotation` returns `None` for 0 and for the cluster's size: the tile would go to the CTA itself.

use ptx::cluster::{ByTile, Cluster, Inbox};
use ptx::shared::{Fenced, Shared};

pub fn body<'c>(cluster: &Cluster<'c>, inbox: Inbox<'c, u32, 128, ByTile>, src: Shared<'c, u32, 128, Fenced>) {
    #[cfg(not(fixed))]
    let _sent = inbox.send(cluster, cluster.rotation(0), src);
    #[cfg(fixed)]
    if let Some(permutation) = cluster.rotation(1) {
        let _sent = inbox.send(cluster, permutation, src);
    }
}
