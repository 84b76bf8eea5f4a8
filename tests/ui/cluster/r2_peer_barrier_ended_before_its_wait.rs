//! A round of a group barrier ends with its wait, in the last scope too.

use ptx::cluster::{Cluster, PeerBarrier};

pub fn last_round<'c>(cluster: &Cluster<'c>, barrier: PeerBarrier<'c, 4>) {
    #[cfg(not(fixed))]
    barrier.arrive(cluster.cta()).end();
    #[cfg(fixed)]
    barrier.arrive(cluster.cta()).wait(cluster.cta()).end();
}
