//! Between an arrive and its wait there is no collective call of the cluster: the call would arrive again.

use ptx::cluster::Cluster;
use ptx::shared::{Free, Shared};

pub fn body<'c>(cluster: Cluster<'c>, tile: Shared<'c, u32, 128, Free>) {
    let arrived = cluster.arrive();
    #[cfg(fixed)]
    let cluster = arrived.wait();
    let _tile = cluster.open_write_only(tile);
    #[cfg(not(fixed))]
    let _cluster = arrived.wait();
}
