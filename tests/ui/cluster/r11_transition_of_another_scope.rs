//! The barrier of a scope does not end transitions of another scope.

use ptx::cluster::{ByElement, Cluster, ClusterSmem, PeerBarrier, Received, WriteOnly};
use ptx::group::Together;

type Words<'c> = ClusterSmem<'c, u32, 64, WriteOnly>;

#[cfg(not(fixed))]
pub fn memory<'a, 'b: 'a>(cluster: &Cluster<'b>, words: Words<'a>) {
    _ = words.close().sync(cluster);
}

#[cfg(fixed)]
pub fn memory<'a>(cluster: &Cluster<'a>, words: Words<'a>) {
    _ = words.close().sync(cluster);
}

#[cfg(not(fixed))]
pub fn beside_its_own<'a, 'b: 'a>(cluster: &Cluster<'a>, words: Words<'a>, other: Received<'b, u32, 64, ByElement, ()>) {
    _ = (words.close(), other.release()).sync(cluster);
}

#[cfg(fixed)]
pub fn beside_its_own<'a>(cluster: &Cluster<'a>, words: Words<'a>, other: Received<'a, u32, 64, ByElement, ()>) {
    _ = (words.close(), other.release()).sync(cluster);
}

#[cfg(not(fixed))]
pub fn barrier<'a, 'b: 'a>(cluster: &Cluster<'a>, other: PeerBarrier<'b, 4>) {
    _ = other.close().sync(cluster);
}

#[cfg(fixed)]
pub fn barrier<'a>(cluster: &Cluster<'a>, other: PeerBarrier<'a, 4>) {
    _ = other.close().sync(cluster);
}
