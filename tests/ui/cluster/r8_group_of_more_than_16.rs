//! A multicast reaches 16 CTAs at most: its mask has 16 bits.

use ptx::cluster::Cluster;

pub fn body(cluster: &Cluster<'_>) {
    let _whole = cluster.whole::<17>();
    let _row = cluster.row::<18>();
    let _column = cluster.column::<0>();
}
