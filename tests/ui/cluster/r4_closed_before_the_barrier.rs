//! Memory that peers use belongs to this CTA again only after the barrier that closes it.

use ptx::atomic::Atomic;
use ptx::cluster::{Cluster, ClusterSmem, ReadOnly, WriteOnly};
use ptx::shared::{Loaded, Shared};

type Words<'c, State> = ClusterSmem<'c, u32, 64, State>;

#[cfg(not(fixed))]
pub fn while_peers_read<'c>(words: Words<'c, ReadOnly<Loaded>>) -> Shared<'c, u32, 64, Loaded> {
    words.close()
}

#[cfg(fixed)]
pub fn while_peers_read<'c>(cluster: &Cluster<'c>, words: Words<'c, ReadOnly<Loaded>>) -> Shared<'c, u32, 64, Loaded> {
    words.close().sync(cluster)
}

#[cfg(not(fixed))]
pub fn while_peers_write(words: Words<WriteOnly>) -> Option<u32> {
    words.close().get(0)
}

#[cfg(fixed)]
pub fn while_peers_write<'c>(cluster: &Cluster<'c>, words: Words<'c, WriteOnly>) -> Option<u32> {
    words.close().sync(cluster).get(0)
}

#[cfg(not(fixed))]
pub fn while_peers_count(words: Words<Atomic>) -> Option<u32> {
    words.close().get(0)
}

#[cfg(fixed)]
pub fn while_peers_count<'c>(cluster: &Cluster<'c>, words: Words<'c, Atomic>) -> Option<u32> {
    words.close().sync(cluster).get(0)
}
