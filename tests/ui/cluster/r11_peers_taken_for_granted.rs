//! The launch decides the shape of a cluster: there may be no row or column of two, and no four CTAs.

use ptx::cluster::{Cluster, Peers};

#[cfg(not(fixed))]
pub fn row<'c>(cluster: &Cluster<'c>) -> Peers<'c, 2> {
    cluster.row()
}

#[cfg(fixed)]
pub fn row<'c>(cluster: &Cluster<'c>) -> Option<Peers<'c, 2>> {
    cluster.row()
}

#[cfg(not(fixed))]
pub fn column<'c>(cluster: &Cluster<'c>) -> Peers<'c, 2> {
    cluster.column()
}

#[cfg(fixed)]
pub fn column<'c>(cluster: &Cluster<'c>) -> Option<Peers<'c, 2>> {
    cluster.column()
}

#[cfg(not(fixed))]
pub fn whole<'c>(cluster: &Cluster<'c>) -> Peers<'c, 4> {
    cluster.whole()
}

#[cfg(fixed)]
pub fn whole<'c>(cluster: &Cluster<'c>) -> Option<Peers<'c, 4>> {
    cluster.whole()
}
