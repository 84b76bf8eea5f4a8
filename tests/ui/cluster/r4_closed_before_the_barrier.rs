//! Memory that peers use belongs to this CTA again only after the barrier that closes it.

use ptx::atomic::Atomic;
use ptx::cluster::{ClusterSmem, WriteOnly, ReadOnly};
use ptx::shared::{Loaded, Shared};

type Words<'c, State> = ClusterSmem<'c, u32, 64, State>;

pub fn while_peers_read<'c>(words: Words<'c, ReadOnly<Loaded>>) -> Shared<'c, u32, 64, Loaded> {
    words.close_at_sync()
}

pub fn while_peers_write(words: Words<WriteOnly>) -> Option<u32> {
    words.close_at_sync().get(0)
}

pub fn while_peers_count(words: Words<Atomic>) -> Option<u32> {
    words.close_at_sync().get(0)
}
