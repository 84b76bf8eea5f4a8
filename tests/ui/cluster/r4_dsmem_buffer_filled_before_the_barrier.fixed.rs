//! A DSMEM buffer is ready for more, and a channel has ended, only after the shared barrier.

use ptx::cluster::{ByElement, ByChannel, ByTile, Channel, Cluster, Inbox, Received, Permutation};
use ptx::global::GlobalTile;
use ptx::qualifier::op;

type From<'c> = Received<'c, u32, 64, ByTile, ()>;

pub fn words<'c>(cluster: &Cluster<'c>, received: Received<'c, u32, 64, ByElement, ()>) {
    _ = cluster.sync_with(received.release_at_sync()).reduce_to_others(cluster, op::Add, |_| 1);
}

pub fn tiles<'c>(
    cluster: &Cluster<'c>,
    received: Received<'c, u32, 64, ByTile, GlobalTile<u32, 64>>,
) -> Inbox<'c, u32, 64, ByTile> {
    let (inbox, _src) = cluster.sync_with(received.release_at_sync());
    inbox
}

pub fn forwarded<'c>(
    cluster: &Cluster<'c>,
    received: Received<'c, u32, 64, ByTile, From<'c>>,
) -> Inbox<'c, u32, 64, ByTile> {
    let (_received, (inbox, ())) = cluster.sync_with(received.reclaim_at_sync());
    inbox
}

pub fn channel<'c>(
    cluster: &Cluster<'c>,
    channel: Channel<'c, u32, 64>,
    another: Permutation<'c>,
) -> Channel<'c, u32, 64> {
    cluster.sync_with(channel.into_inbox_at_sync()).into_channel(another)
}

pub fn kept<'c>(cluster: &Cluster<'c>, channel: Channel<'c, u32, 64>) -> Inbox<'c, u32, 64, ByChannel> {
    cluster.sync_with(channel.into_inbox_at_sync())
}
