//! The barrier of a scope does not end transitions of another scope.

use ptx::cluster::{ByElement, Cluster, ClusterSmem, GroupBarrier, WriteOnly, Received};

type Words<'c> = ClusterSmem<'c, u32, 64, WriteOnly>;

pub fn memory<'a>(cluster: &Cluster<'a>, words: Words<'a>) {
    _ = cluster.sync_with(words.close_at_sync());
}

pub fn beside_its_own<'a>(
    cluster: &Cluster<'a>,
    words: Words<'a>,
    other: Received<'a, u32, 64, ByElement, ()>,
) {
    _ = cluster.sync_with((words.close_at_sync(), other.release_at_sync()));
}

pub fn barrier<'a>(cluster: &Cluster<'a>, other: GroupBarrier<'a, 4>) {
    _ = cluster.sync_with(other.close_at_sync());
}
