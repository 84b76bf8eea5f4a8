//! A group barrier initializes its own mbarriers: an mbarrier that counts the threads of the CTA does not fit.

use ptx::cluster::{Cluster, Group, GroupBarrier};
use ptx::mbarrier::{Mbarrier, Ready};

pub fn body<'c>(cluster: &Cluster<'c>, row: Group<'c, 2>, bars: [Mbarrier<Ready>; 2]) -> GroupBarrier<'c, 2> {
    #[cfg(not(fixed))]
    {
        row.barrier(cluster, bars).sync(cluster)
    }
    #[cfg(fixed)]
    {
        row.barrier(cluster, bars.map(|bar| bar.inval(cluster.cta()))).sync(cluster)
    }
}
