//! The barrier of a scope does not end transitions of another scope.

use ptx::cluster::{ByElement, Cluster, ClusterSmem, GroupBarrier, WriteOnly, Received};

type Words<'c> = ClusterSmem<'c, u32, 64, WriteOnly>;

pub fn memory<'a, 'b: 'a>(cluster: &Cluster<'b>, words: Words<'a>) {
    _ = cluster.sync_with(words.close_at_sync());
}

pub fn beside_its_own<'a, 'b: 'a>(
    cluster: &Cluster<'a>,
    words: Words<'a>,
    other: Received<'b, u32, 64, ByElement, ()>,
) {
    _ = cluster.sync_with((words.close_at_sync(), other.release_at_sync()));
}

pub fn barrier<'a, 'b: 'a>(cluster: &Cluster<'a>, other: GroupBarrier<'b, 4>) {
    _ = cluster.sync_with(other.close_at_sync());
}
