//! Memory that a copy may still read is not opened to peers.

use ptx::cluster::Cluster;
use ptx::shared::{Fenced, Shared};

pub fn body<'c>(cluster: &Cluster<'c>, tile: Shared<'c, u32, 128, Fenced>) {
    #[cfg(not(fixed))]
    let _tile = cluster.open_write_only(tile);
    #[cfg(fixed)]
    let _tile = cluster.open_write_only(tile.into_free());
}
