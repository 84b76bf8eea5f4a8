//! What an inner scope lends ends before the cluster's does, so the cluster cannot have it.

use ptx::cluster::Cluster;
use ptx::shared::SharedArray;

pub fn body<'c>(cluster: &mut Cluster<'c>, tile: SharedArray<u32, 128>) {
    cluster.cta_mut().lend(tile, |cta, tile| {
        let tile = cluster.open(tile).close(cluster);
        tile.to_async(cta).into_free()
    });
}
