//! What an inner scope lends ends before the cluster's does, so the cluster cannot have it.

use ptx::cluster::Cluster;
use ptx::shared::{Free, Shared};

pub fn body<'c>(cluster: &Cluster<'c>, tile: Shared<'c, u32, 128, Free>) -> Shared<'c, u32, 128, Free> {
    let tile = cluster.open(tile).close(cluster);
    tile.to_async(cluster.cta()).into_free()
}
