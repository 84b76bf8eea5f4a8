//! The mbarriers of a group barrier are invalidated when no CTA waits on them.

use ptx::cluster::{Cluster, PeerBarrier};
use ptx::mbarrier::{Mbarrier, Uninit};

pub fn body<'c>(cluster: &Cluster<'c>, barrier: PeerBarrier<'c, 2>) -> [Mbarrier<Uninit>; 2] {
    #[cfg(not(fixed))]
    {
        barrier.arrive(cluster.cta()).close().sync(cluster).inval(cluster.cta())
    }
    #[cfg(fixed)]
    {
        barrier.arrive(cluster.cta()).wait(cluster.cta()).close().sync(cluster).inval(cluster.cta())
    }
}
