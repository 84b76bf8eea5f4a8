//! After `release`, the next send overwrites the DSMEM buffer.

use ptx::cluster::{ByElement, ByTile, Cluster, Received};
use ptx::global::GlobalTile;

pub fn body<'c>(
    cluster: &Cluster<'c>,
    tile: Received<'c, u32, 128, ByTile, GlobalTile<u32, 128>>,
    words: Received<'c, u32, 128, ByElement, ()>,
) {
    #[cfg(not(fixed))]
    let (_inbox, _src) = tile.release(cluster);
    let _ = tile.get(0);
    #[cfg(not(fixed))]
    let _inbox = words.release(cluster);
    #[cfg(fixed)]
    let (_inbox, _src) = tile.release(cluster);
    let _ = words.get(0);
    #[cfg(fixed)]
    let _inbox = words.release(cluster);
}
