//! Elements of a DSMEM buffer are plain numbers: a reduction of a user's type is not possible there.

use ptx::cluster::{ByElement, Cluster, Inbox};
use ptx::qualifier::op;

#[derive(Clone, Copy)]
pub struct Money(u32);

pub fn body<'c>(cluster: &Cluster<'c>, inbox: Inbox<'c, u32, 64, ByElement>) {
    let received = inbox.reduce_to_others(cluster, op::Add, |_| Money(1).0).receive(cluster.cta());
    let _inbox = received.release(cluster);
}
