//! A route is not made from a rank: it could be one's own.

use ptx::cluster::{ByElement, Cluster, Inbox, Route};

pub fn body<'c>(cluster: &Cluster<'c>, inbox: Inbox<'c, u32, 128, ByElement>) {
    let _sent = inbox.add(cluster, Route { to: cluster.rank() }, |_| 1);
}
