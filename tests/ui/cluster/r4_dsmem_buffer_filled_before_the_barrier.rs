//! A DSMEM buffer is ready for more, and a channel has ended, only after the shared barrier.

use ptx::cluster::{ByElement, ByChannel, ByTile, Channel, Cluster, Inbox, Received, Permutation};
use ptx::global::GlobalTile;
use ptx::qualifier::op;

type From<'c> = Received<'c, u32, 64, ByTile, ()>;

pub fn words<'c>(cluster: &Cluster<'c>, received: Received<'c, u32, 64, ByElement, ()>) {
    _ = received.release_at_sync().reduce_to_others(cluster, op::Add, |_| 1);
}

pub fn tiles<'c>(received: Received<'c, u32, 64, ByTile, GlobalTile<u32, 64>>) -> Inbox<'c, u32, 64, ByTile> {
    let (inbox, _src) = received.release_at_sync();
    inbox
}

pub fn forwarded<'c>(received: Received<'c, u32, 64, ByTile, From<'c>>) -> Inbox<'c, u32, 64, ByTile> {
    let (_received, (inbox, ())) = received.reclaim_at_sync();
    inbox
}

pub fn channel<'c>(channel: Channel<'c, u32, 64>, another: Permutation<'c>) -> Channel<'c, u32, 64> {
    channel.into_inbox_at_sync().into_channel(another)
}

pub fn kept<'c>(channel: Channel<'c, u32, 64>) -> Inbox<'c, u32, 64, ByChannel> {
    channel.into_inbox_at_sync()
}
