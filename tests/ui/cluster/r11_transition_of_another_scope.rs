//! The barrier of a scope does not end transitions of another scope.

use ptx::cluster::{ByElement, Cluster, ClusterSmem, GroupBarrier, Received, WriteOnly};

type Words<'c> = ClusterSmem<'c, u32, 64, WriteOnly>;

#[cfg(not(fixed))]
pub fn memory<'a, 'b: 'a>(cluster: &Cluster<'b>, words: Words<'a>) {
    _ = cluster.sync_with(words.close_at_sync());
}

#[cfg(fixed)]
pub fn memory<'a>(cluster: &Cluster<'a>, words: Words<'a>) {
    _ = cluster.sync_with(words.close_at_sync());
}

#[cfg(not(fixed))]
pub fn beside_its_own<'a, 'b: 'a>(cluster: &Cluster<'a>, words: Words<'a>, other: Received<'b, u32, 64, ByElement, ()>) {
    _ = cluster.sync_with((words.close_at_sync(), other.release_at_sync()));
}

#[cfg(fixed)]
pub fn beside_its_own<'a>(cluster: &Cluster<'a>, words: Words<'a>, other: Received<'a, u32, 64, ByElement, ()>) {
    _ = cluster.sync_with((words.close_at_sync(), other.release_at_sync()));
}

#[cfg(not(fixed))]
pub fn barrier<'a, 'b: 'a>(cluster: &Cluster<'a>, other: GroupBarrier<'b, 4>) {
    _ = cluster.sync_with(other.close_at_sync());
}

#[cfg(fixed)]
pub fn barrier<'a>(cluster: &Cluster<'a>, other: GroupBarrier<'a, 4>) {
    _ = cluster.sync_with(other.close_at_sync());
}
