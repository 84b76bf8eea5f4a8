//! A DSMEM buffer `ByTile` has no mbarrier for the acknowledgment that a channel waits for.

use ptx::cluster::{ByTile, Channel, Inbox, Permutation};

pub fn body<'c>(permutation: Permutation<'c>, inbox: Inbox<'c, u32, 128, ByTile>) -> Channel<'c, u32, 128> {
    inbox.along(permutation)
}
