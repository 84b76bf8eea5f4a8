//! A scope is one call: a handle of another is no substitute, whichever of the two ends first.

use ptx::cluster::{Arrived, ByTile, Channel, Cluster, ClusterSmem, Group, GroupBarrier, Inbox, Open, Route};

pub fn shorten_cluster<'short, 'long: 'short>(x: Cluster<'long>) -> Cluster<'short> {
    x
}

pub fn lengthen_cluster<'short, 'long: 'short>(x: Cluster<'short>) -> Cluster<'long> {
    x
}

pub fn shorten_arrived<'short, 'long: 'short>(x: Arrived<'long>) -> Arrived<'short> {
    x
}

pub fn lengthen_arrived<'short, 'long: 'short>(x: Arrived<'short>) -> Arrived<'long> {
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

pub fn shorten_route<'short, 'long: 'short>(x: Route<'long>) -> Route<'short> {
    x
}

pub fn lengthen_route<'short, 'long: 'short>(x: Route<'short>) -> Route<'long> {
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

pub fn shorten_memory<'short, 'long: 'short>(x: ClusterSmem<'long, u32, 128, Open>) -> ClusterSmem<'short, u32, 128, Open> {
    x
}

pub fn lengthen_memory<'short, 'long: 'short>(x: ClusterSmem<'short, u32, 128, Open>) -> ClusterSmem<'long, u32, 128, Open> {
    x
}
