//! A reduction of one's own type is no reduction in a DSMEM buffer, whose elements are plain numbers.

use ptx::cluster::{ByElement, Cluster, Inbox};
use ptx::qualifier::op;

#[derive(Clone, Copy)]
pub struct Money(u32);

pub fn body<'c>(cluster: &Cluster<'c>, inbox: Inbox<'c, u32, 64, ByElement>) {
    let received = inbox.reduce_to_others(cluster, op::Add, |_| Money(1).0).receive(cluster.cta());
    let _inbox = received.release(cluster);
}
