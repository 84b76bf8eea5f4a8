//! A CTA arrives at a group barrier before it tests the round: the other CTAs wait for its arrival.

use ptx::cluster::{Cluster, GroupBarrier};

pub fn body(cluster: &Cluster<'_>, barrier: GroupBarrier<'_, 2>) -> bool {
    #[cfg(not(fixed))]
    {
        let done = barrier.is_complete();
        _ = barrier.arrive(cluster.cta());
        done
    }
    #[cfg(fixed)]
    {
        let barrier = barrier.arrive(cluster.cta());
        barrier.is_complete()
    }
}
