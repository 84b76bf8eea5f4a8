//! A mailbox `ByTile` has no mbarrier for the acknowledgment that a channel waits for.

use ptx::cluster::{ByTile, Channel, Inbox, Route};

pub fn body<'c>(route: Route<'c>, inbox: Inbox<'c, u32, 128, ByTile>) -> Channel<'c, u32, 128> {
    inbox.along(route)
}
