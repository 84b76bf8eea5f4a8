//! A thread waits for a cluster barrier before it arrives there again.

use ptx::cluster::Cluster;

pub fn body(cluster: Cluster<'_>) -> Cluster<'_> {
    #[cfg(not(fixed))]
    {
        let _first = cluster.arrive();
        cluster.arrive().wait()
    }
    #[cfg(fixed)]
    {
        let first = cluster.arrive();
        first.wait().arrive().wait()
    }
}
