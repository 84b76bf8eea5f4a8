//! `source` gives read access only to the memory that a copy reads.

use ptx::cluster::{ByTile, Cluster, Inbox, Received, Permutation};

pub fn body<'c>(
    cluster: &Cluster<'c>,
    inbox: Inbox<'c, u32, 128, ByTile>,
    tile: Received<'c, u32, 128, ByTile, ()>,
    permutation: Permutation<'c>,
) {
    let sent = inbox.send(cluster, permutation, tile);
    let (_inbox, (_free, ())) = sent.receive(cluster.cta()).release(cluster);
}
