//! Handles of a cluster's scope are used only in that scope: outside it, peers may have exited.

use ptx::atomic::Atomic;
use ptx::cluster::{
    ByElement, ByChannel, ByTile, Channel, Cluster, ClusterSmem, Group, GroupBarrier, Inbox, WriteOnly, ReadOnly, Received,
    Permutation,
};
use ptx::mbarrier::{Mbarrier, Uninit};
use ptx::qualifier::op;
use ptx::shared::{Loaded, Published, Shared};

pub fn send<'c>(
    cluster: &Cluster<'c>,
    x: Inbox<'c, u32, 128, ByTile>,
    permutation: Permutation<'c>,
    src: Shared<'c, u32, 128, Loaded>,
) {
    _ = x.send(cluster, permutation, src);
}

pub fn send_along<'c>(
    cluster: &Cluster<'c>,
    x: Inbox<'c, u32, 128, ByTile>,
    permutation: Permutation<'c>,
    src: Shared<'c, u32, 128, Loaded>,
) {
    _ = x.send(cluster, permutation, src);
}

pub fn send_reduce<'c>(
    cluster: &Cluster<'c>,
    x: Inbox<'c, u32, 128, ByTile>,
    permutation: Permutation<'c>,
    src: Shared<'c, u32, 128, Loaded>,
) {
    _ = x.send_reduce(cluster, op::Add, permutation, src);
}

pub fn send_reduce_along<'c>(
    cluster: &Cluster<'c>,
    x: Inbox<'c, u32, 128, ByTile>,
    permutation: Permutation<'c>,
    src: Shared<'c, u32, 128, Loaded>,
) {
    _ = x.send_reduce(cluster, op::Add, permutation, src);
}

pub fn send_reduce_to_others<'c>(
    cluster: &Cluster<'c>,
    x: Inbox<'c, u32, 128, ByTile>,
    src: Shared<'c, u32, 128, Loaded>,
) {
    _ = x.send_reduce_to_others(cluster, op::Add, src);
}

pub fn release<'c>(cluster: &Cluster<'c>, x: Received<'c, u32, 128, ByTile, ()>) {
    _ = x.release(cluster);
}

pub fn reclaim<'c>(cluster: &Cluster<'c>, x: Received<'c, u32, 128, ByTile, ()>) {
    _ = x.reclaim(cluster);
}

pub fn store<'c>(cluster: &Cluster<'c>, x: Inbox<'c, u32, 128, ByElement>, permutation: Permutation<'c>) {
    _ = x.store(cluster, permutation, |_| 1);
}

pub fn store_along<'c>(cluster: &Cluster<'c>, x: Inbox<'c, u32, 128, ByElement>, permutation: Permutation<'c>) {
    _ = x.store(cluster, permutation, |_| 1);
}

pub fn reduce<'c>(cluster: &Cluster<'c>, x: Inbox<'c, u32, 128, ByElement>, permutation: Permutation<'c>) {
    _ = x.reduce(cluster, op::Add, permutation, |_| 1);
}

pub fn reduce_along<'c>(cluster: &Cluster<'c>, x: Inbox<'c, u32, 128, ByElement>, permutation: Permutation<'c>) {
    _ = x.reduce(cluster, op::Add, permutation, |_| 1);
}

pub fn reduce_to_others<'c>(cluster: &Cluster<'c>, x: Inbox<'c, u32, 128, ByElement>) {
    _ = x.reduce_to_others(cluster, op::Add, |_| 1);
}

pub fn release_words<'c>(cluster: &Cluster<'c>, x: Received<'c, u32, 128, ByElement, ()>) {
    _ = x.release(cluster);
}

pub fn along<'c>(x: Inbox<'c, u32, 128, ByChannel>, permutation: Permutation<'c>) {
    _ = x.into_channel(permutation);
}

pub fn send_on<'c>(cluster: &Cluster<'c>, x: Channel<'c, u32, 128>, src: Shared<'c, u32, 128, Loaded>) {
    _ = x.send(cluster, src);
}

pub fn end<'c>(cluster: &Cluster<'c>, x: Channel<'c, u32, 128>) {
    _ = x.into_inbox(cluster);
}

pub fn barrier<'c>(cluster: &Cluster<'c>, x: Group<'c, 2>, memory: [Mbarrier<Uninit>; 2]) {
    _ = x.barrier(cluster, memory);
}

pub fn close_barrier<'c>(cluster: &Cluster<'c>, x: GroupBarrier<'c, 2>) {
    _ = x.close(cluster);
}

pub fn publish<'c>(cluster: &Cluster<'c>, x: Shared<'c, u32, 128, Loaded>) {
    _ = cluster.publish(x);
}

pub fn open<'c>(cluster: &Cluster<'c>, x: Shared<'c, u32, 128, Loaded>) {
    _ = cluster.open_write_only(x);
}

pub fn open_atomic<'c>(cluster: &Cluster<'c>, x: Shared<'c, u32, 128, Loaded>) {
    _ = cluster.open_atomic(x);
}

pub fn close_read<'c>(cluster: &Cluster<'c>, x: ClusterSmem<'c, u32, 128, ReadOnly<Published>>) {
    _ = x.close(cluster);
}

pub fn close_open<'c>(cluster: &Cluster<'c>, x: ClusterSmem<'c, u32, 128, WriteOnly>) {
    _ = x.close(cluster);
}

pub fn close_atomic<'c>(cluster: &Cluster<'c>, x: ClusterSmem<'c, u32, 128, Atomic>) {
    _ = x.close(cluster);
}
