//! A multicast reaches 16 CTAs at most: its mask has 16 bits.

use ptx::cluster::Cluster;

pub fn body(cluster: &Cluster<'_>) {
    #[cfg(not(fixed))]
    let _whole = cluster.whole::<17>();
    #[cfg(not(fixed))]
    let _row = cluster.row::<18>();
    #[cfg(not(fixed))]
    let _column = cluster.column::<0>();
    #[cfg(fixed)]
    let _whole = cluster.whole::<16>();
    #[cfg(fixed)]
    let _row = cluster.row::<4>();
    #[cfg(fixed)]
    let _column = cluster.column::<4>();
}
