//! A scope ends with its own handles: handles of another scope do not replace them, whichever scope ends first.

use ptx::cluster::{ArrivedCluster, ByTile, Channel, Cluster, ClusterSmem, Peers, PeerBarrier, Inbox, Permutation, WriteOnly};

#[cfg(not(fixed))]
pub fn shorten_cluster<'short, 'long: 'short>(x: Cluster<'long>) -> Cluster<'short> {
    x
}

#[cfg(not(fixed))]
pub fn lengthen_cluster<'short, 'long: 'short>(x: Cluster<'short>) -> Cluster<'long> {
    x
}

#[cfg(not(fixed))]
pub fn shorten_arrived<'short, 'long: 'short>(x: ArrivedCluster<'long>) -> ArrivedCluster<'short> {
    x
}

#[cfg(not(fixed))]
pub fn lengthen_arrived<'short, 'long: 'short>(x: ArrivedCluster<'short>) -> ArrivedCluster<'long> {
    x
}

#[cfg(not(fixed))]
pub fn shorten_group<'short, 'long: 'short>(x: Peers<'long, 2>) -> Peers<'short, 2> {
    x
}

#[cfg(not(fixed))]
pub fn lengthen_group<'short, 'long: 'short>(x: Peers<'short, 2>) -> Peers<'long, 2> {
    x
}

#[cfg(not(fixed))]
pub fn shorten_peer_barrier<'short, 'long: 'short>(x: PeerBarrier<'long, 2>) -> PeerBarrier<'short, 2> {
    x
}

#[cfg(not(fixed))]
pub fn lengthen_peer_barrier<'short, 'long: 'short>(x: PeerBarrier<'short, 2>) -> PeerBarrier<'long, 2> {
    x
}

#[cfg(not(fixed))]
pub fn shorten_route<'short, 'long: 'short>(x: Permutation<'long>) -> Permutation<'short> {
    x
}

#[cfg(not(fixed))]
pub fn lengthen_route<'short, 'long: 'short>(x: Permutation<'short>) -> Permutation<'long> {
    x
}

#[cfg(not(fixed))]
pub fn shorten_inbox<'short, 'long: 'short>(x: Inbox<'long, u32, 128, ByTile>) -> Inbox<'short, u32, 128, ByTile> {
    x
}

#[cfg(not(fixed))]
pub fn lengthen_inbox<'short, 'long: 'short>(x: Inbox<'short, u32, 128, ByTile>) -> Inbox<'long, u32, 128, ByTile> {
    x
}

#[cfg(not(fixed))]
pub fn shorten_channel<'short, 'long: 'short>(x: Channel<'long, u32, 128>) -> Channel<'short, u32, 128> {
    x
}

#[cfg(not(fixed))]
pub fn lengthen_channel<'short, 'long: 'short>(x: Channel<'short, u32, 128>) -> Channel<'long, u32, 128> {
    x
}

#[cfg(not(fixed))]
pub fn shorten_memory<'short, 'long: 'short>(
    x: ClusterSmem<'long, u32, 128, WriteOnly>,
) -> ClusterSmem<'short, u32, 128, WriteOnly> {
    x
}

#[cfg(not(fixed))]
pub fn lengthen_memory<'short, 'long: 'short>(
    x: ClusterSmem<'short, u32, 128, WriteOnly>,
) -> ClusterSmem<'long, u32, 128, WriteOnly> {
    x
}

#[cfg(fixed)]
pub fn keep_cluster<'s>(x: Cluster<'s>) -> Cluster<'s> {
    x
}

#[cfg(fixed)]
pub fn keep_arrived<'s>(x: ArrivedCluster<'s>) -> ArrivedCluster<'s> {
    x
}

#[cfg(fixed)]
pub fn keep_group<'s>(x: Peers<'s, 2>) -> Peers<'s, 2> {
    x
}

#[cfg(fixed)]
pub fn keep_peer_barrier<'s>(x: PeerBarrier<'s, 2>) -> PeerBarrier<'s, 2> {
    x
}

#[cfg(fixed)]
pub fn keep_route<'s>(x: Permutation<'s>) -> Permutation<'s> {
    x
}

#[cfg(fixed)]
pub fn keep_inbox<'s>(x: Inbox<'s, u32, 128, ByTile>) -> Inbox<'s, u32, 128, ByTile> {
    x
}

#[cfg(fixed)]
pub fn keep_channel<'s>(x: Channel<'s, u32, 128>) -> Channel<'s, u32, 128> {
    x
}

#[cfg(fixed)]
pub fn keep_memory<'s>(x: ClusterSmem<'s, u32, 128, WriteOnly>) -> ClusterSmem<'s, u32, 128, WriteOnly> {
    x
}
