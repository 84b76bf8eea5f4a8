//! A barrier of the CTA does not wait for the other CTAs of the cluster.

use ptx::bulk;
use ptx::cluster::{Cluster, ClusterSmem, WriteOnly};
use ptx::global::GlobalTile;
use ptx::group::Together;
use ptx::mbarrier::{Mbarrier, Ready};
use ptx::shared::{Free, Loaded, Shared, Written};

type Words<'c, State> = Shared<'c, u32, 64, State>;

pub fn alone<'c>(cluster: &Cluster<'c>, words: Words<'c, Written>) -> Option<u32> {
    #[cfg(not(fixed))]
    {
        cluster.publish(words).sync(cluster.cta()).peer(0)?.get(5)
    }
    #[cfg(fixed)]
    {
        cluster.publish(words).sync(cluster).peer(0)?.get(5)
    }
}

pub fn beside_one_of_the_cta<'c>(cluster: &Cluster<'c>, words: ClusterSmem<'c, u32, 64, WriteOnly>, old: Words<'c, Loaded>) {
    #[cfg(not(fixed))]
    let _ = (old.release(), words.close()).sync(cluster.cta());
    #[cfg(fixed)]
    let _ = (old.release(), words.close()).sync(cluster);
}

pub fn beside_a_load<'c>(
    cluster: &Cluster<'c>,
    words: ClusterSmem<'c, u32, 64, WriteOnly>,
    (bar, tile, src): (Mbarrier<Ready>, Words<'c, Free>, GlobalTile<u32, 64>),
) {
    #[cfg(not(fixed))]
    let _ = bulk::load_with(cluster.cta(), bar, tile, src, words.close()).wait(cluster.cta());
    #[cfg(fixed)]
    let _ = bulk::load(cluster.cta(), bar, tile, src).wait(cluster.cta());
    #[cfg(fixed)]
    let _ = words.close().sync(cluster);
}

pub fn synced_without_a_transition<'c>(cluster: &Cluster<'c>, words: Words<'c, Written>) {
    #[cfg(not(fixed))]
    let _ = words.sync(cluster);
    #[cfg(fixed)]
    let _ = cluster.publish(words).sync(cluster);
}
