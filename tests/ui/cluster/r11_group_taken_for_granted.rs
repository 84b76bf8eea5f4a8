//! The launch decides how many CTAs a cluster has: there may be no row or column of two, no four in all.

use ptx::cluster::{Cluster, Group};

pub fn row<'c>(cluster: &Cluster<'c>) -> Group<'c, 2> {
    cluster.row()
}

pub fn column<'c>(cluster: &Cluster<'c>) -> Group<'c, 2> {
    cluster.column()
}

pub fn whole<'c>(cluster: &Cluster<'c>) -> Group<'c, 4> {
    cluster.whole()
}
