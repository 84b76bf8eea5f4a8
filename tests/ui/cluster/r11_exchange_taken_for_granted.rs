//! `exchange` returns `None` for 0, and for numbers that lead out of the cluster.

use ptx::cluster::{ByTile, Cluster, Inbox};
use ptx::shared::{Fenced, Shared};

pub fn body<'c>(cluster: &Cluster<'c>, inbox: Inbox<'c, u32, 128, ByTile>, src: Shared<'c, u32, 128, Fenced>) {
    #[cfg(not(fixed))]
    let _sent = inbox.send(cluster, cluster.exchange(0), src);
    #[cfg(fixed)]
    let Some(permutation) = cluster.exchange(1) else { return };
    #[cfg(fixed)]
    let _sent = inbox.send(cluster, permutation, src);
}
