//! A round of a group's barrier is over when it has been waited for, in the last scope too.

use ptx::cluster::{Cluster, GroupBarrier};

pub fn last_round<'c>(cluster: &Cluster<'c>, barrier: GroupBarrier<'c, 4>) {
    barrier.arrive(cluster.cta()).end();
}
