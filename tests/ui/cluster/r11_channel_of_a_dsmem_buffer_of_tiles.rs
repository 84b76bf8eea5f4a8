//! A channel waits for acknowledgements at a second mbarrier, which a DSMEM buffer `ByTile` lacks.

use ptx::cluster::{ByChannel, ByTile, Channel, Inbox, Permutation};

#[cfg(not(fixed))]
pub fn body<'c>(permutation: Permutation<'c>, inbox: Inbox<'c, u32, 128, ByTile>) -> Channel<'c, u32, 128> {
    inbox.into_channel(permutation)
}

#[cfg(fixed)]
pub fn body<'c>(permutation: Permutation<'c>, inbox: Inbox<'c, u32, 128, ByChannel>) -> Channel<'c, u32, 128> {
    inbox.into_channel(permutation)
}
