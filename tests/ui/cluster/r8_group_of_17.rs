//! A mask of CTAs has 16 bits.

use ptx::cluster::Cluster;

pub fn body(cluster: &Cluster<'_>) {
    let _all = cluster.whole::<17>();
}
