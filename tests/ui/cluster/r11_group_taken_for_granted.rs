//! The launch decides how many CTAs a cluster has: there may be no row of two.

use ptx::cluster::{Cluster, Group};

pub fn body<'c>(cluster: &Cluster<'c>) -> Group<'c, 2> {
    cluster.row()
}
