//! A round of a group barrier ends with its wait, in the last scope too.

use ptx::cluster::{Cluster, GroupBarrier};

pub fn last_round<'c>(cluster: &Cluster<'c>, barrier: GroupBarrier<'c, 4>) {
    barrier.arrive(cluster.cta()).end();
}
