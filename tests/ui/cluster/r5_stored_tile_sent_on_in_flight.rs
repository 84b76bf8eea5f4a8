//! A tile that is stored can be sent on after the store has read it.

use ptx::bulk;
use ptx::cluster::{ByTile, Cluster, Inbox, Permutation, Received};
use ptx::global::GlobalTileMut;

pub fn body<'c>(
    cluster: &Cluster<'c>,
    inbox: Inbox<'c, u32, 128, ByTile>,
    tile: Received<'c, u32, 128, ByTile, ()>,
    permutation: Permutation<'c>,
    dst: GlobalTileMut<u32, 128>,
) {
    let cta = cluster.cta();
    let store = bulk::store(cta, tile, dst).commit(cta);
    #[cfg(fixed)]
    let (tile, _writing) = store.wait_read(cta);
    let _sent = inbox.send(cluster, permutation, tile);
    #[cfg(not(fixed))]
    let _ = store.wait_read(cta);
}
