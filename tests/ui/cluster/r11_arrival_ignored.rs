//! An arrival without its wait: the lint warns, and the scope cannot end.

use ptx::cluster::Cluster;

#[cfg(not(fixed))]
#[deny(unused_must_use)]
pub fn body(cluster: Cluster<'_>) {
    cluster.arrive();
}

#[cfg(fixed)]
#[deny(unused_must_use)]
pub fn body(cluster: Cluster<'_>) -> Cluster<'_> {
    cluster.arrive().wait()
}
