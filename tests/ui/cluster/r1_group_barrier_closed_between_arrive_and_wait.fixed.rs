//! The mbarriers end their lives when nobody waits.

use ptx::cluster::{Cluster, GroupBarrier};
use ptx::mbarrier::{Mbarrier, Uninit};

pub fn body<'c>(cluster: &Cluster<'c>, barrier: GroupBarrier<'c, 2>) -> [Mbarrier<Uninit>; 2] {
    barrier.arrive(cluster.cta()).wait(cluster.cta()).close(cluster)
}
