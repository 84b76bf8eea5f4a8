//! A tile that `reclaim` keeps readable occupies its DSMEM buffer until `release`.

use ptx::cluster::{ByTile, Cluster, Inbox, Received, Permutation};

pub fn body<'c>(
    cluster: &Cluster<'c>,
    inbox: Inbox<'c, u32, 128, ByTile>,
    tile: Received<'c, u32, 128, ByTile, ()>,
    permutation: Permutation<'c>,
) {
    let (kept, (free, ())) = inbox.send(cluster, permutation, tile).receive(cluster.cta()).reclaim(cluster);
    let _sent = free.send(cluster, permutation, kept);
}
