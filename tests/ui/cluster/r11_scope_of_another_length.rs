//! A scope ends with its own handles: handles of another scope do not replace them, whichever scope ends first.

use ptx::cluster::{ArrivedCluster, ByTile, Channel, Cluster, ClusterSmem, Group, GroupBarrier, Inbox, WriteOnly, Permutation};

pub fn shorten_cluster<'short, 'long: 'short>(x: Cluster<'long>) -> Cluster<'short> {
    x
}

pub fn lengthen_cluster<'short, 'long: 'short>(x: Cluster<'short>) -> Cluster<'long> {
    x
}

pub fn shorten_arrived<'short, 'long: 'short>(x: ArrivedCluster<'long>) -> ArrivedCluster<'short> {
    x
}

pub fn lengthen_arrived<'short, 'long: 'short>(x: ArrivedCluster<'short>) -> ArrivedCluster<'long> {
    x
}

pub fn shorten_group<'short, 'long: 'short>(x: Group<'long, 2>) -> Group<'short, 2> {
    x
}

pub fn lengthen_group<'short, 'long: 'short>(x: Group<'short, 2>) -> Group<'long, 2> {
    x
}

pub fn shorten_group_barrier<'short, 'long: 'short>(x: GroupBarrier<'long, 2>) -> GroupBarrier<'short, 2> {
    x
}

pub fn lengthen_group_barrier<'short, 'long: 'short>(x: GroupBarrier<'short, 2>) -> GroupBarrier<'long, 2> {
    x
}

pub fn shorten_route<'short, 'long: 'short>(x: Permutation<'long>) -> Permutation<'short> {
    x
}

pub fn lengthen_route<'short, 'long: 'short>(x: Permutation<'short>) -> Permutation<'long> {
    x
}

pub fn shorten_inbox<'short, 'long: 'short>(x: Inbox<'long, u32, 128, ByTile>) -> Inbox<'short, u32, 128, ByTile> {
    x
}

pub fn lengthen_inbox<'short, 'long: 'short>(x: Inbox<'short, u32, 128, ByTile>) -> Inbox<'long, u32, 128, ByTile> {
    x
}

pub fn shorten_channel<'short, 'long: 'short>(x: Channel<'long, u32, 128>) -> Channel<'short, u32, 128> {
    x
}

pub fn lengthen_channel<'short, 'long: 'short>(x: Channel<'short, u32, 128>) -> Channel<'long, u32, 128> {
    x
}

pub fn shorten_memory<'short, 'long: 'short>(x: ClusterSmem<'long, u32, 128, WriteOnly>) -> ClusterSmem<'short, u32, 128, WriteOnly> {
    x
}

pub fn lengthen_memory<'short, 'long: 'short>(x: ClusterSmem<'short, u32, 128, WriteOnly>) -> ClusterSmem<'long, u32, 128, WriteOnly> {
    x
}
