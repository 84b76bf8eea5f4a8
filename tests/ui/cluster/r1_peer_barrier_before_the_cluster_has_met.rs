//! The mbarriers of a group barrier become valid at a barrier of the cluster, and are invalidated after another.

use ptx::cluster::{Cluster, Peers, PeerBarrier};
use ptx::mbarrier::{Arrived, Mbarrier, Uninit};

pub fn arrived_at_before_all_are_valid<'c>(
    cluster: &Cluster<'c>,
    row: Peers<'c, 4>,
    memory: [Mbarrier<Uninit>; 2],
) -> PeerBarrier<'c, 4, Arrived> {
    #[cfg(not(fixed))]
    {
        row.barrier(cluster, memory).arrive(cluster.cta())
    }
    #[cfg(fixed)]
    {
        row.barrier(cluster, memory).sync(cluster).arrive(cluster.cta())
    }
}

pub fn invalidated_before_all_have_waited<'c>(cluster: &Cluster<'c>, barrier: PeerBarrier<'c, 4>) -> [Mbarrier<Uninit>; 2] {
    #[cfg(not(fixed))]
    {
        barrier.close().inval(cluster.cta())
    }
    #[cfg(fixed)]
    {
        barrier.close().sync(cluster).inval(cluster.cta())
    }
}

pub fn invalidated_while_in_use<'c>(cluster: &Cluster<'c>, barrier: PeerBarrier<'c, 4>) -> [Mbarrier<Uninit>; 2] {
    #[cfg(not(fixed))]
    {
        barrier.inval(cluster.cta())
    }
    #[cfg(fixed)]
    {
        barrier.close().sync(cluster).inval(cluster.cta())
    }
}
