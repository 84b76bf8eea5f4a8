//! `source` gives read access only to the memory that a copy reads.

use ptx::cluster::{ByTile, Cluster, Inbox, Permutation, Received};

pub fn body<'c>(
    cluster: &Cluster<'c>,
    inbox: Inbox<'c, u32, 128, ByTile>,
    tile: Received<'c, u32, 128, ByTile, ()>,
    permutation: Permutation<'c>,
) {
    let sent = inbox.send(cluster, permutation, tile);
    #[cfg(not(fixed))]
    let (_free, ()) = sent.source().release().sync(cluster);
    #[cfg(not(fixed))]
    let _ = sent.receive(cluster.cta()).release().sync(cluster);
    #[cfg(fixed)]
    let (_inbox, (_free, ())) = sent.receive(cluster.cta()).release().sync(cluster);
}
