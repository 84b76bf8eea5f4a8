//! A barrier of the CTA does not wait for the other CTAs of the cluster.

use ptx::bulk;
use ptx::cluster::{Cluster, ClusterSmem, WriteOnly};
use ptx::global::GlobalTile;
use ptx::mbarrier::{Mbarrier, Ready};
use ptx::shared::{Free, Loaded, Shared, Written};

type Words<'c, State> = Shared<'c, u32, 64, State>;

pub fn alone<'c>(cluster: &Cluster<'c>, words: Words<'c, Written>) -> Option<u32> {
    #[cfg(not(fixed))]
    {
        cluster.cta().sync_with(cluster.publish_at_sync(words)).peer(0)?.get(5)
    }
    #[cfg(fixed)]
    {
        cluster.sync_with(cluster.publish_at_sync(words)).peer(0)?.get(5)
    }
}

pub fn beside_one_of_the_cta<'c>(cluster: &Cluster<'c>, words: ClusterSmem<'c, u32, 64, WriteOnly>, old: Words<'c, Loaded>) {
    #[cfg(not(fixed))]
    let _ = cluster.cta().sync_with((old.release_at_sync(), words.close_at_sync()));
    #[cfg(fixed)]
    let _ = cluster.sync_with((old.release_at_sync(), words.close_at_sync()));
}

pub fn beside_a_load<'c>(
    cluster: &Cluster<'c>,
    words: ClusterSmem<'c, u32, 64, WriteOnly>,
    (bar, tile, src): (Mbarrier<Ready>, Words<'c, Free>, GlobalTile<u32, 64>),
) {
    #[cfg(not(fixed))]
    let _ = bulk::load_with(cluster.cta(), bar, tile, src, words.close_at_sync()).wait(cluster.cta());
    #[cfg(fixed)]
    let _ = bulk::load(cluster.cta(), bar, tile, src).wait(cluster.cta());
    #[cfg(fixed)]
    let _ = cluster.sync_with(words.close_at_sync());
}

pub fn synced_without_a_transition<'c>(cluster: &Cluster<'c>, words: Words<'c, Written>) {
    #[cfg(not(fixed))]
    let _ = cluster.sync_with(words);
    #[cfg(fixed)]
    let _ = cluster.sync_with(cluster.publish_at_sync(words));
}
