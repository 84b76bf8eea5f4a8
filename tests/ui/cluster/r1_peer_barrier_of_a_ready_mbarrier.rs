//! A group barrier initializes its own mbarriers: an mbarrier that counts the threads of the CTA does not fit.

use ptx::cluster::{Cluster, Peers, PeerBarrier};
use ptx::mbarrier::{Mbarrier, Ready};

pub fn body<'c>(cluster: &Cluster<'c>, row: Peers<'c, 2>, bars: [Mbarrier<Ready>; 2]) -> PeerBarrier<'c, 2> {
    #[cfg(not(fixed))]
    {
        row.barrier(cluster, bars).sync(cluster)
    }
    #[cfg(fixed)]
    {
        row.barrier(cluster, bars.map(|bar| bar.inval(cluster.cta()))).sync(cluster)
    }
}
