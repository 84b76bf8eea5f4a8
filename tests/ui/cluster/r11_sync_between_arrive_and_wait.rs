//! Between an arrive and its wait there is no barrier of the cluster: a thread would arrive again.

use ptx::cluster::Cluster;

pub fn body(cluster: Cluster<'_>) -> Cluster<'_> {
    let arrived = cluster.arrive();
    #[cfg(fixed)]
    let cluster = arrived.wait();
    cluster.sync();
    #[cfg(not(fixed))]
    {
        arrived.wait()
    }
    #[cfg(fixed)]
    {
        cluster
    }
}
