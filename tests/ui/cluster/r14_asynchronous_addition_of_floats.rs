//! `red.async` adds integers only.

use ptx::cluster::{ByElement, Cluster, Inbox};
use ptx::qualifier::op;

#[cfg(not(fixed))]
pub fn body<'c>(cluster: &Cluster<'c>, inbox: Inbox<'c, f32, 128, ByElement>) {
    let _sent = inbox.reduce_to_others(cluster, op::Add, |_| 1.0);
}

#[cfg(fixed)]
pub fn body<'c>(cluster: &Cluster<'c>, inbox: Inbox<'c, u32, 128, ByElement>) {
    let _sent = inbox.reduce_to_others(cluster, op::Add, |_| 1);
}
