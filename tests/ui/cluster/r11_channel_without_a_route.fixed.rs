//! A channel leads along a route, which there may not be.

use ptx::cluster::{ByRoute, Cluster, Inbox};

pub fn body<'c>(cluster: &Cluster<'c>, inbox: Inbox<'c, u32, 128, ByRoute>) {
    let Some(route) = cluster.rotation(1) else { return };
    let _channel = inbox.along(route);
}
