//! A cluster of another shape has no such group: the kernel handles `None`.

use ptx::cluster::{Cluster, Group};

pub fn row<'c>(cluster: &Cluster<'c>) -> Option<Group<'c, 2>> {
    cluster.row()
}

pub fn column<'c>(cluster: &Cluster<'c>) -> Option<Group<'c, 2>> {
    cluster.column()
}

pub fn whole<'c>(cluster: &Cluster<'c>) -> Option<Group<'c, 4>> {
    cluster.whole()
}
