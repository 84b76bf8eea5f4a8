//! An mbarrier is not shared with the cluster: a peer could not wait on it.

use ptx::cluster::Cluster;
use ptx::mbarrier::{Mbarrier, Ready};

pub fn body(cluster: &Cluster<'_>, bar: Mbarrier<Ready>) {
    #[cfg(not(fixed))]
    let bar = cluster.publish(bar).sync(cluster);
    #[cfg(not(fixed))]
    let _ = bar.peer(1);
    #[cfg(fixed)]
    let _bar = bar.arrive(cluster.cta()).wait(cluster.cta());
}
