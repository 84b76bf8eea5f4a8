//! A multicast reaches 16 CTAs at most: its mask has 16 bits.

use ptx::cluster::Cluster;

pub fn body(cluster: &Cluster<'_>) {
    let _whole = cluster.whole::<16>();
    let _row = cluster.row::<4>();
    let _column = cluster.column::<4>();
}
