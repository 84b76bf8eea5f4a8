//! A thread that has arrived waits before it arrives again.

use ptx::cluster::Cluster;

pub fn body(cluster: Cluster<'_>) -> Cluster<'_> {
    let _first = cluster.arrive();
    cluster.arrive().wait()
}
