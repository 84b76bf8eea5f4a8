//! The others wait for this CTA, so it has arrived before it asks whether they have.

use ptx::cluster::{Cluster, GroupBarrier};

pub fn body(cluster: &Cluster<'_>, barrier: GroupBarrier<'_, 2>) -> bool {
    let done = barrier.is_complete();
    _ = barrier.arrive(cluster.cta());
    done
}
