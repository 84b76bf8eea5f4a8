//! A scope ends with its own handles: handles of another scope do not replace them, whichever scope ends first.

use ptx::cluster::{ArrivedCluster, ByTile, Channel, Cluster, ClusterSmem, Group, GroupBarrier, Inbox, WriteOnly, Permutation};

pub fn keep_cluster<'s>(x: Cluster<'s>) -> Cluster<'s> {
    x
}

pub fn keep_arrived<'s>(x: ArrivedCluster<'s>) -> ArrivedCluster<'s> {
    x
}

pub fn keep_group<'s>(x: Group<'s, 2>) -> Group<'s, 2> {
    x
}

pub fn keep_group_barrier<'s>(x: GroupBarrier<'s, 2>) -> GroupBarrier<'s, 2> {
    x
}

pub fn keep_route<'s>(x: Permutation<'s>) -> Permutation<'s> {
    x
}

pub fn keep_inbox<'s>(x: Inbox<'s, u32, 128, ByTile>) -> Inbox<'s, u32, 128, ByTile> {
    x
}

pub fn keep_channel<'s>(x: Channel<'s, u32, 128>) -> Channel<'s, u32, 128> {
    x
}

pub fn keep_memory<'s>(x: ClusterSmem<'s, u32, 128, WriteOnly>) -> ClusterSmem<'s, u32, 128, WriteOnly> {
    x
}
