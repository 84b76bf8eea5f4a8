//! A DSMEM buffer is ready for more, and a channel has ended, only after the shared barrier.

use ptx::cluster::{ByChannel, ByElement, ByTile, Channel, Cluster, Inbox, Permutation, Received};
use ptx::global::GlobalTile;
use ptx::qualifier::op;

type From<'c> = Received<'c, u32, 64, ByTile, ()>;

pub fn words<'c>(cluster: &Cluster<'c>, received: Received<'c, u32, 64, ByElement, ()>) {
    #[cfg(not(fixed))]
    let _ = received.release().reduce_to_others(cluster, op::Add, |_| 1);
    #[cfg(fixed)]
    let _ = received.release().sync(cluster).reduce_to_others(cluster, op::Add, |_| 1);
}

#[cfg(not(fixed))]
pub fn tiles<'c>(received: Received<'c, u32, 64, ByTile, GlobalTile<u32, 64>>) -> Inbox<'c, u32, 64, ByTile> {
    let (inbox, _src) = received.release();
    inbox
}

#[cfg(fixed)]
pub fn tiles<'c>(
    cluster: &Cluster<'c>,
    received: Received<'c, u32, 64, ByTile, GlobalTile<u32, 64>>,
) -> Inbox<'c, u32, 64, ByTile> {
    let (inbox, _src) = received.release().sync(cluster);
    inbox
}

#[cfg(not(fixed))]
pub fn forwarded<'c>(received: Received<'c, u32, 64, ByTile, From<'c>>) -> Inbox<'c, u32, 64, ByTile> {
    let (_received, (inbox, ())) = received.reclaim();
    inbox
}

#[cfg(fixed)]
pub fn forwarded<'c>(cluster: &Cluster<'c>, received: Received<'c, u32, 64, ByTile, From<'c>>) -> Inbox<'c, u32, 64, ByTile> {
    let (_received, (inbox, ())) = received.reclaim().sync(cluster);
    inbox
}

#[cfg(not(fixed))]
pub fn channel<'c>(channel: Channel<'c, u32, 64>, another: Permutation<'c>) -> Channel<'c, u32, 64> {
    channel.into_inbox().into_channel(another)
}

#[cfg(fixed)]
pub fn channel<'c>(cluster: &Cluster<'c>, channel: Channel<'c, u32, 64>, another: Permutation<'c>) -> Channel<'c, u32, 64> {
    channel.into_inbox().sync(cluster).into_channel(another)
}

#[cfg(not(fixed))]
pub fn kept<'c>(channel: Channel<'c, u32, 64>) -> Inbox<'c, u32, 64, ByChannel> {
    channel.into_inbox()
}

#[cfg(fixed)]
pub fn kept<'c>(cluster: &Cluster<'c>, channel: Channel<'c, u32, 64>) -> Inbox<'c, u32, 64, ByChannel> {
    channel.into_inbox().sync(cluster)
}
