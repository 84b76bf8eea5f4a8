//! Free memory holds no values that could be published.

use ptx::cluster::Cluster;
use ptx::shared::{Free, Shared};

pub fn body<'c>(cluster: &Cluster<'c>, tile: Shared<'c, u32, 128, Free>) {
    #[cfg(not(fixed))]
    let _tile = cluster.publish(tile);
    #[cfg(fixed)]
    let _tile = cluster.publish(tile.write(cluster.cta(), |i| i as u32));
}
