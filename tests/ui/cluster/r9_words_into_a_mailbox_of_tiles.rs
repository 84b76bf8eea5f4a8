//! A mailbox is filled through one proxy, which is part of its type.

use ptx::cluster::{ByTile, Cluster, Inbox};

pub fn body<'c>(cluster: &Cluster<'c>, inbox: Inbox<'c, u32, 128, ByTile>) {
    let _sent = inbox.add_to_others(cluster, |_| 1);
}
