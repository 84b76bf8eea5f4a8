//! A mailbox is filled through one proxy, which is part of its type.

use ptx::cluster::{ByElement, Cluster, Inbox, Route};
use ptx::qualifier::op;

pub fn body<'c>(cluster: &Cluster<'c>, route: Route<'c>, [a, b, c]: [Inbox<'c, u32, 128, ByElement>; 3]) {
    let _sent = a.reduce_to_others(cluster, op::Add, |_| 1);
    let _sent = b.reduce(cluster, op::Add, route, |_| 1);
    let _sent = c.store(cluster, route, |_| 1);
}
