//! A cluster has 16 CTAs at most.

use ptx::cluster::Cluster;

pub fn body(cluster: &Cluster<'_>) {
    let _all = cluster.whole::<17>();
}
