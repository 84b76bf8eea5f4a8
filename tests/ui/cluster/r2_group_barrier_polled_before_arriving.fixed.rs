//! The others wait for this CTA, so it has arrived before it asks whether they have.

use ptx::cluster::{Cluster, GroupBarrier};

pub fn body(cluster: &Cluster<'_>, barrier: GroupBarrier<'_, 2>) -> bool {
    let barrier = barrier.arrive(cluster.cta());
    barrier.is_complete()
}
