//! Handles of a cluster's scope are used only in that scope: outside it, peers may have exited.

use ptx::atomic::Atomic;
use ptx::cluster::{
    ByChannel, ByElement, ByTile, Channel, Cluster, ClusterSmem, Peers, PeerBarrier, Inbox, Permutation, ReadOnly, Received,
    WriteOnly,
};
use ptx::mbarrier::{Mbarrier, Uninit};
use ptx::qualifier::op;
use ptx::shared::{Loaded, Published, Shared};

#[cfg(not(fixed))]
pub fn send<'a, 'b: 'a>(
    cluster: &Cluster<'b>,
    x: Inbox<'a, u32, 128, ByTile>,
    permutation: Permutation<'a>,
    src: Shared<'a, u32, 128, Loaded>,
) {
    _ = x.send(cluster, permutation, src);
}

#[cfg(fixed)]
pub fn send<'c>(
    cluster: &Cluster<'c>,
    x: Inbox<'c, u32, 128, ByTile>,
    permutation: Permutation<'c>,
    src: Shared<'c, u32, 128, Loaded>,
) {
    _ = x.send(cluster, permutation, src);
}

#[cfg(not(fixed))]
pub fn send_along<'a, 'b: 'a>(
    cluster: &Cluster<'b>,
    x: Inbox<'b, u32, 128, ByTile>,
    permutation: Permutation<'a>,
    src: Shared<'a, u32, 128, Loaded>,
) {
    _ = x.send(cluster, permutation, src);
}

#[cfg(fixed)]
pub fn send_along<'c>(
    cluster: &Cluster<'c>,
    x: Inbox<'c, u32, 128, ByTile>,
    permutation: Permutation<'c>,
    src: Shared<'c, u32, 128, Loaded>,
) {
    _ = x.send(cluster, permutation, src);
}

#[cfg(not(fixed))]
pub fn send_reduce<'a, 'b: 'a>(
    cluster: &Cluster<'b>,
    x: Inbox<'a, u32, 128, ByTile>,
    permutation: Permutation<'a>,
    src: Shared<'a, u32, 128, Loaded>,
) {
    _ = x.send_reduce(cluster, op::Add, permutation, src);
}

#[cfg(fixed)]
pub fn send_reduce<'c>(
    cluster: &Cluster<'c>,
    x: Inbox<'c, u32, 128, ByTile>,
    permutation: Permutation<'c>,
    src: Shared<'c, u32, 128, Loaded>,
) {
    _ = x.send_reduce(cluster, op::Add, permutation, src);
}

#[cfg(not(fixed))]
pub fn send_reduce_along<'a, 'b: 'a>(
    cluster: &Cluster<'b>,
    x: Inbox<'b, u32, 128, ByTile>,
    permutation: Permutation<'a>,
    src: Shared<'a, u32, 128, Loaded>,
) {
    _ = x.send_reduce(cluster, op::Add, permutation, src);
}

#[cfg(fixed)]
pub fn send_reduce_along<'c>(
    cluster: &Cluster<'c>,
    x: Inbox<'c, u32, 128, ByTile>,
    permutation: Permutation<'c>,
    src: Shared<'c, u32, 128, Loaded>,
) {
    _ = x.send_reduce(cluster, op::Add, permutation, src);
}

#[cfg(not(fixed))]
pub fn send_reduce_to_others<'a, 'b: 'a>(
    cluster: &Cluster<'b>,
    x: Inbox<'a, u32, 128, ByTile>,
    src: Shared<'a, u32, 128, Loaded>,
) {
    _ = x.send_reduce_to_others(cluster, op::Add, src);
}

#[cfg(fixed)]
pub fn send_reduce_to_others<'c>(cluster: &Cluster<'c>, x: Inbox<'c, u32, 128, ByTile>, src: Shared<'c, u32, 128, Loaded>) {
    _ = x.send_reduce_to_others(cluster, op::Add, src);
}

#[cfg(not(fixed))]
pub fn release<'a, 'b: 'a>(cluster: &Cluster<'b>, x: Received<'a, u32, 128, ByTile, ()>) {
    _ = x.release().sync(cluster);
}

#[cfg(fixed)]
pub fn release<'c>(cluster: &Cluster<'c>, x: Received<'c, u32, 128, ByTile, ()>) {
    _ = x.release().sync(cluster);
}

#[cfg(not(fixed))]
pub fn reclaim<'a, 'b: 'a>(cluster: &Cluster<'b>, x: Received<'a, u32, 128, ByTile, ()>) {
    _ = x.reclaim().sync(cluster);
}

#[cfg(fixed)]
pub fn reclaim<'c>(cluster: &Cluster<'c>, x: Received<'c, u32, 128, ByTile, ()>) {
    _ = x.reclaim().sync(cluster);
}

#[cfg(not(fixed))]
pub fn store<'a, 'b: 'a>(cluster: &Cluster<'b>, x: Inbox<'a, u32, 128, ByElement>, permutation: Permutation<'a>) {
    _ = x.store(cluster, permutation, |_| 1);
}

#[cfg(fixed)]
pub fn store<'c>(cluster: &Cluster<'c>, x: Inbox<'c, u32, 128, ByElement>, permutation: Permutation<'c>) {
    _ = x.store(cluster, permutation, |_| 1);
}

#[cfg(not(fixed))]
pub fn store_along<'a, 'b: 'a>(cluster: &Cluster<'b>, x: Inbox<'b, u32, 128, ByElement>, permutation: Permutation<'a>) {
    _ = x.store(cluster, permutation, |_| 1);
}

#[cfg(fixed)]
pub fn store_along<'c>(cluster: &Cluster<'c>, x: Inbox<'c, u32, 128, ByElement>, permutation: Permutation<'c>) {
    _ = x.store(cluster, permutation, |_| 1);
}

#[cfg(not(fixed))]
pub fn reduce<'a, 'b: 'a>(cluster: &Cluster<'b>, x: Inbox<'a, u32, 128, ByElement>, permutation: Permutation<'a>) {
    _ = x.reduce(cluster, op::Add, permutation, |_| 1);
}

#[cfg(fixed)]
pub fn reduce<'c>(cluster: &Cluster<'c>, x: Inbox<'c, u32, 128, ByElement>, permutation: Permutation<'c>) {
    _ = x.reduce(cluster, op::Add, permutation, |_| 1);
}

#[cfg(not(fixed))]
pub fn reduce_along<'a, 'b: 'a>(cluster: &Cluster<'b>, x: Inbox<'b, u32, 128, ByElement>, permutation: Permutation<'a>) {
    _ = x.reduce(cluster, op::Add, permutation, |_| 1);
}

#[cfg(fixed)]
pub fn reduce_along<'c>(cluster: &Cluster<'c>, x: Inbox<'c, u32, 128, ByElement>, permutation: Permutation<'c>) {
    _ = x.reduce(cluster, op::Add, permutation, |_| 1);
}

#[cfg(not(fixed))]
pub fn reduce_to_others<'a, 'b: 'a>(cluster: &Cluster<'b>, x: Inbox<'a, u32, 128, ByElement>) {
    _ = x.reduce_to_others(cluster, op::Add, |_| 1);
}

#[cfg(fixed)]
pub fn reduce_to_others<'c>(cluster: &Cluster<'c>, x: Inbox<'c, u32, 128, ByElement>) {
    _ = x.reduce_to_others(cluster, op::Add, |_| 1);
}

#[cfg(not(fixed))]
pub fn release_words<'a, 'b: 'a>(cluster: &Cluster<'b>, x: Received<'a, u32, 128, ByElement, ()>) {
    _ = x.release().sync(cluster);
}

#[cfg(fixed)]
pub fn release_words<'c>(cluster: &Cluster<'c>, x: Received<'c, u32, 128, ByElement, ()>) {
    _ = x.release().sync(cluster);
}

#[cfg(not(fixed))]
pub fn along<'a, 'b: 'a>(x: Inbox<'b, u32, 128, ByChannel>, permutation: Permutation<'a>) {
    _ = x.into_channel(permutation);
}

#[cfg(fixed)]
pub fn along<'c>(x: Inbox<'c, u32, 128, ByChannel>, permutation: Permutation<'c>) {
    _ = x.into_channel(permutation);
}

#[cfg(not(fixed))]
pub fn send_on<'a, 'b: 'a>(cluster: &Cluster<'b>, x: Channel<'a, u32, 128>, src: Shared<'a, u32, 128, Loaded>) {
    _ = x.send(cluster, src);
}

#[cfg(fixed)]
pub fn send_on<'c>(cluster: &Cluster<'c>, x: Channel<'c, u32, 128>, src: Shared<'c, u32, 128, Loaded>) {
    _ = x.send(cluster, src);
}

#[cfg(not(fixed))]
pub fn end<'a, 'b: 'a>(cluster: &Cluster<'b>, x: Channel<'a, u32, 128>) {
    _ = x.into_inbox().sync(cluster);
}

#[cfg(fixed)]
pub fn end<'c>(cluster: &Cluster<'c>, x: Channel<'c, u32, 128>) {
    _ = x.into_inbox().sync(cluster);
}

#[cfg(not(fixed))]
pub fn barrier<'a, 'b: 'a>(cluster: &Cluster<'b>, x: Peers<'a, 2>, memory: [Mbarrier<Uninit>; 2]) {
    _ = x.barrier(cluster, memory).sync(cluster);
}

#[cfg(fixed)]
pub fn barrier<'c>(cluster: &Cluster<'c>, x: Peers<'c, 2>, memory: [Mbarrier<Uninit>; 2]) {
    _ = x.barrier(cluster, memory).sync(cluster);
}

#[cfg(not(fixed))]
pub fn close_barrier<'a, 'b: 'a>(cluster: &Cluster<'b>, x: PeerBarrier<'a, 2>) {
    _ = x.close().sync(cluster);
}

#[cfg(fixed)]
pub fn close_barrier<'c>(cluster: &Cluster<'c>, x: PeerBarrier<'c, 2>) {
    _ = x.close().sync(cluster);
}

#[cfg(not(fixed))]
pub fn publish<'a, 'b: 'a>(cluster: &Cluster<'b>, x: Shared<'a, u32, 128, Loaded>) {
    _ = cluster.publish(x).sync(cluster);
}

#[cfg(fixed)]
pub fn publish<'c>(cluster: &Cluster<'c>, x: Shared<'c, u32, 128, Loaded>) {
    _ = cluster.publish(x).sync(cluster);
}

#[cfg(not(fixed))]
pub fn open<'a, 'b: 'a>(cluster: &Cluster<'b>, x: Shared<'a, u32, 128, Loaded>) {
    _ = cluster.open_write_only(x).sync(cluster);
}

#[cfg(fixed)]
pub fn open<'c>(cluster: &Cluster<'c>, x: Shared<'c, u32, 128, Loaded>) {
    _ = cluster.open_write_only(x).sync(cluster);
}

#[cfg(not(fixed))]
pub fn open_atomic<'a, 'b: 'a>(cluster: &Cluster<'b>, x: Shared<'a, u32, 128, Loaded>) {
    _ = cluster.open_atomic(x).sync(cluster);
}

#[cfg(fixed)]
pub fn open_atomic<'c>(cluster: &Cluster<'c>, x: Shared<'c, u32, 128, Loaded>) {
    _ = cluster.open_atomic(x).sync(cluster);
}

#[cfg(not(fixed))]
pub fn close_read<'a, 'b: 'a>(cluster: &Cluster<'b>, x: ClusterSmem<'a, u32, 128, ReadOnly<Published>>) {
    _ = x.close().sync(cluster);
}

#[cfg(fixed)]
pub fn close_read<'c>(cluster: &Cluster<'c>, x: ClusterSmem<'c, u32, 128, ReadOnly<Published>>) {
    _ = x.close().sync(cluster);
}

#[cfg(not(fixed))]
pub fn close_open<'a, 'b: 'a>(cluster: &Cluster<'b>, x: ClusterSmem<'a, u32, 128, WriteOnly>) {
    _ = x.close().sync(cluster);
}

#[cfg(fixed)]
pub fn close_open<'c>(cluster: &Cluster<'c>, x: ClusterSmem<'c, u32, 128, WriteOnly>) {
    _ = x.close().sync(cluster);
}

#[cfg(not(fixed))]
pub fn close_atomic<'a, 'b: 'a>(cluster: &Cluster<'b>, x: ClusterSmem<'a, u32, 128, Atomic>) {
    _ = x.close().sync(cluster);
}

#[cfg(fixed)]
pub fn close_atomic<'c>(cluster: &Cluster<'c>, x: ClusterSmem<'c, u32, 128, Atomic>) {
    _ = x.close().sync(cluster);
}
