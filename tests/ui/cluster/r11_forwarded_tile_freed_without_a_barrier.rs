//! A DSMEM buffer that forwarded its tile is free after a barrier of the cluster: other CTAs may not have received yet.

use ptx::cluster::{ByTile, Cluster, Inbox, Origin, Received};

type Forwarded<'c> = Received<'c, u32, 128, ByTile, Received<'c, u32, 128, ByTile, ()>>;
type Freed<'c> = (Inbox<'c, u32, 128, ByTile>, (Inbox<'c, u32, 128, ByTile>, ()));

#[cfg(not(fixed))]
pub fn body<'c>(_cluster: &Cluster<'c>, tile: Forwarded<'c>) -> Freed<'c> {
    tile.back()
}

#[cfg(fixed)]
pub fn body<'c>(cluster: &Cluster<'c>, tile: Forwarded<'c>) -> Freed<'c> {
    tile.release().sync(cluster)
}
