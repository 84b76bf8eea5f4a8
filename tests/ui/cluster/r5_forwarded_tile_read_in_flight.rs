//! The copy owns a forwarded tile; `source` gives read access.

use ptx::cluster::{ByTile, Cluster, Inbox, Permutation, Received};

pub fn body<'c>(
    cluster: &Cluster<'c>,
    inbox: Inbox<'c, u32, 128, ByTile>,
    tile: Received<'c, u32, 128, ByTile, ()>,
    permutation: Permutation<'c>,
) {
    let sent = inbox.send(cluster, permutation, tile);
    #[cfg(not(fixed))]
    let _first = tile.get(0);
    #[cfg(fixed)]
    let _first = sent.source().get(0);
    let _ = sent.receive(cluster.cta()).release(cluster);
}
