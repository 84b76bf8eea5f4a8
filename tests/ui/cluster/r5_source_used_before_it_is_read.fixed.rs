//! After the receiver has the tile, the CTA has its source back.

use ptx::cluster::{ByTile, Channel, Cluster, Inbox, Permutation};
use ptx::shared::{Fenced, Free, Shared};

pub fn tile<'c>(
    cluster: &Cluster<'c>,
    permutation: Permutation<'c>,
    inbox: Inbox<'c, u32, 128, ByTile>,
    src: Shared<'c, u32, 128, Fenced>,
) -> (Inbox<'c, u32, 128, ByTile>, Shared<'c, u32, 128, Free>) {
    let (inbox, src) = inbox.send(cluster, permutation, src).receive(cluster.cta()).release(cluster);
    (inbox, src.into_free())
}

pub fn of_a_channel<'c>(
    cluster: &Cluster<'c>,
    channel: Channel<'c, u32, 128>,
    src: Shared<'c, u32, 128, Fenced>,
) -> (Channel<'c, u32, 128>, Shared<'c, u32, 128, Free>) {
    let cta = cluster.cta();
    let (channel, src) = channel.send(cluster, src).receive(cta).acknowledge(cta).reclaim(cta);
    (channel, src.into_free())
}
