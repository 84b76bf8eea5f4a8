//! Handles of a cluster's scope are used only in that scope: outside it, peers may have exited.

use ptx::atomic::Atomic;
use ptx::cluster::{
    ByElement, ByChannel, ByTile, Channel, Cluster, ClusterSmem, Group, GroupBarrier, Inbox, WriteOnly, ReadOnly, Received,
    Permutation,
};
use ptx::mbarrier::{Mbarrier, Uninit};
use ptx::qualifier::op;
use ptx::shared::{Loaded, Published, Shared};

pub fn send<'a, 'b: 'a>(
    cluster: &Cluster<'b>,
    x: Inbox<'a, u32, 128, ByTile>,
    permutation: Permutation<'a>,
    src: Shared<'a, u32, 128, Loaded>,
) {
    _ = x.send(cluster, permutation, src);
}

pub fn send_along<'a, 'b: 'a>(
    cluster: &Cluster<'b>,
    x: Inbox<'b, u32, 128, ByTile>,
    permutation: Permutation<'a>,
    src: Shared<'a, u32, 128, Loaded>,
) {
    _ = x.send(cluster, permutation, src);
}

pub fn send_reduce<'a, 'b: 'a>(
    cluster: &Cluster<'b>,
    x: Inbox<'a, u32, 128, ByTile>,
    permutation: Permutation<'a>,
    src: Shared<'a, u32, 128, Loaded>,
) {
    _ = x.send_reduce(cluster, op::Add, permutation, src);
}

pub fn send_reduce_along<'a, 'b: 'a>(
    cluster: &Cluster<'b>,
    x: Inbox<'b, u32, 128, ByTile>,
    permutation: Permutation<'a>,
    src: Shared<'a, u32, 128, Loaded>,
) {
    _ = x.send_reduce(cluster, op::Add, permutation, src);
}

pub fn send_reduce_to_others<'a, 'b: 'a>(
    cluster: &Cluster<'b>,
    x: Inbox<'a, u32, 128, ByTile>,
    src: Shared<'a, u32, 128, Loaded>,
) {
    _ = x.send_reduce_to_others(cluster, op::Add, src);
}

pub fn release<'a, 'b: 'a>(cluster: &Cluster<'b>, x: Received<'a, u32, 128, ByTile, ()>) {
    _ = x.release(cluster);
}

pub fn reclaim<'a, 'b: 'a>(cluster: &Cluster<'b>, x: Received<'a, u32, 128, ByTile, ()>) {
    _ = x.reclaim(cluster);
}

pub fn store<'a, 'b: 'a>(cluster: &Cluster<'b>, x: Inbox<'a, u32, 128, ByElement>, permutation: Permutation<'a>) {
    _ = x.store(cluster, permutation, |_| 1);
}

pub fn store_along<'a, 'b: 'a>(cluster: &Cluster<'b>, x: Inbox<'b, u32, 128, ByElement>, permutation: Permutation<'a>) {
    _ = x.store(cluster, permutation, |_| 1);
}

pub fn reduce<'a, 'b: 'a>(cluster: &Cluster<'b>, x: Inbox<'a, u32, 128, ByElement>, permutation: Permutation<'a>) {
    _ = x.reduce(cluster, op::Add, permutation, |_| 1);
}

pub fn reduce_along<'a, 'b: 'a>(cluster: &Cluster<'b>, x: Inbox<'b, u32, 128, ByElement>, permutation: Permutation<'a>) {
    _ = x.reduce(cluster, op::Add, permutation, |_| 1);
}

pub fn reduce_to_others<'a, 'b: 'a>(cluster: &Cluster<'b>, x: Inbox<'a, u32, 128, ByElement>) {
    _ = x.reduce_to_others(cluster, op::Add, |_| 1);
}

pub fn release_words<'a, 'b: 'a>(cluster: &Cluster<'b>, x: Received<'a, u32, 128, ByElement, ()>) {
    _ = x.release(cluster);
}

pub fn along<'a, 'b: 'a>(x: Inbox<'b, u32, 128, ByChannel>, permutation: Permutation<'a>) {
    _ = x.into_channel(permutation);
}

pub fn send_on<'a, 'b: 'a>(
    cluster: &Cluster<'b>,
    x: Channel<'a, u32, 128>,
    src: Shared<'a, u32, 128, Loaded>,
) {
    _ = x.send(cluster, src);
}

pub fn end<'a, 'b: 'a>(cluster: &Cluster<'b>, x: Channel<'a, u32, 128>) {
    _ = x.into_inbox(cluster);
}

pub fn barrier<'a, 'b: 'a>(cluster: &Cluster<'b>, x: Group<'a, 2>, memory: [Mbarrier<Uninit>; 2]) {
    _ = x.barrier(cluster, memory);
}

pub fn close_barrier<'a, 'b: 'a>(cluster: &Cluster<'b>, x: GroupBarrier<'a, 2>) {
    _ = x.close(cluster);
}

pub fn publish<'a, 'b: 'a>(cluster: &Cluster<'b>, x: Shared<'a, u32, 128, Loaded>) {
    _ = cluster.publish(x);
}

pub fn open<'a, 'b: 'a>(cluster: &Cluster<'b>, x: Shared<'a, u32, 128, Loaded>) {
    _ = cluster.open_write_only(x);
}

pub fn open_atomic<'a, 'b: 'a>(cluster: &Cluster<'b>, x: Shared<'a, u32, 128, Loaded>) {
    _ = cluster.open_atomic(x);
}

pub fn close_read<'a, 'b: 'a>(cluster: &Cluster<'b>, x: ClusterSmem<'a, u32, 128, ReadOnly<Published>>) {
    _ = x.close(cluster);
}

pub fn close_open<'a, 'b: 'a>(cluster: &Cluster<'b>, x: ClusterSmem<'a, u32, 128, WriteOnly>) {
    _ = x.close(cluster);
}

pub fn close_atomic<'a, 'b: 'a>(cluster: &Cluster<'b>, x: ClusterSmem<'a, u32, 128, Atomic>) {
    _ = x.close(cluster);
}
