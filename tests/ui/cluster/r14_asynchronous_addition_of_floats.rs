//! `red.async` adds integers alone.

use ptx::cluster::{ByElement, Cluster, Inbox};

pub fn body<'c>(cluster: &Cluster<'c>, inbox: Inbox<'c, f32, 128, ByElement>) {
    let _sent = inbox.add_to_others(cluster, |_| 1.0);
}
