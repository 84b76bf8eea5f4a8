//! Memory that is published in the cluster is not published again.

use ptx::cluster::{Cluster, ClusterSmem, ReadOnly, WriteOnly};
use ptx::shared::Published;

#[cfg(not(fixed))]
pub fn again<'c>(cluster: &Cluster<'c>, bins: ClusterSmem<'c, u32, 64, ReadOnly<Published>>) -> Option<u32> {
    let bins = bins.publish().sync(cluster);
    bins.peer(0).and_then(|peer| peer.get(0))
}

#[cfg(fixed)]
pub fn again<'c>(cluster: &Cluster<'c>, bins: ClusterSmem<'c, u32, 64, WriteOnly>) -> Option<u32> {
    let bins = bins.publish().sync(cluster);
    bins.peer(0).and_then(|peer| peer.get(0))
}
