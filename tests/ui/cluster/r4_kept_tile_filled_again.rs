//! A tile that `reclaim` keeps readable occupies its DSMEM buffer until `release`.

use ptx::cluster::{ByTile, Cluster, Inbox, Permutation, Received};

pub fn body<'c>(
    cluster: &Cluster<'c>,
    inbox: Inbox<'c, u32, 128, ByTile>,
    tile: Received<'c, u32, 128, ByTile, ()>,
    permutation: Permutation<'c>,
) {
    let (kept, (free, ())) =
        inbox.send(cluster, permutation, tile).receive(cluster.cta()).reclaim().sync(cluster);
    #[cfg(not(fixed))]
    let _sent = kept.send(cluster, permutation, free);
    #[cfg(fixed)]
    let _sent = free.send(cluster, permutation, kept);
}
