//! The launch decides the shape of a cluster: there may be no row or column of two, and no four CTAs.

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
