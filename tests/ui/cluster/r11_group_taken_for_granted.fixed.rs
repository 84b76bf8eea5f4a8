//! A cluster of other rows has none of two.

use ptx::cluster::{Cluster, Group};

pub fn body<'c>(cluster: &Cluster<'c>) -> Option<Group<'c, 2>> {
    cluster.row()
}
