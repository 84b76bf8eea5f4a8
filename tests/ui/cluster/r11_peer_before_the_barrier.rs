//! Memory of peers is accessible only after the barrier that opens it.

use ptx::atomic::Atomic;
use ptx::cluster::{Cluster, ClusterSmem};
use ptx::shared::{Free, Shared, Written};

type Words<'c, State> = Shared<'c, u32, 64, State>;

pub fn published<'c>(cluster: &Cluster<'c>, words: Words<'c, Written>) -> Option<u32> {
    #[cfg(not(fixed))]
    {
        cluster.publish(words).peer(0)?.get(5)
    }
    #[cfg(fixed)]
    {
        cluster.publish(words).sync(cluster).peer(0)?.get(5)
    }
}

pub fn opened<'c>(cluster: &Cluster<'c>, words: Words<'c, Free>) -> Option<()> {
    #[cfg(not(fixed))]
    {
        cluster.open_write_only(words).peer(0)?.set(5, 1)
    }
    #[cfg(fixed)]
    {
        cluster.open_write_only(words).sync(cluster).peer(0)?.set(5, 1)
    }
}

pub fn made_atomic<'c>(cluster: &Cluster<'c>, words: Words<'c, Written>) -> bool {
    #[cfg(not(fixed))]
    {
        cluster.open_atomic(words).peer(0).and_then(|peer| peer.atomic(5)).is_some()
    }
    #[cfg(fixed)]
    {
        let words = cluster.open_atomic(words).sync(cluster);
        words.peer(0).and_then(|peer| peer.atomic(5)).is_some()
    }
}

#[cfg(not(fixed))]
pub fn published_again(words: ClusterSmem<u32, 64, Atomic>) -> Option<u32> {
    words.publish().peer(0)?.get(5)
}

#[cfg(fixed)]
pub fn published_again<'c>(cluster: &Cluster<'c>, words: ClusterSmem<'c, u32, 64, Atomic>) -> Option<u32> {
    words.publish().sync(cluster).peer(0)?.get(5)
}
