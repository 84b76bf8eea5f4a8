//! Elements of a DSMEM buffer are plain numbers: a reduction of a user's type is not possible there.

use ptx::cluster::{ByElement, Cluster, ClusterReduce, Inbox};
use ptx::qualifier::op;

#[derive(Clone, Copy)]
pub struct Money(u32);

#[cfg(not(fixed))]
impl ClusterReduce<Money> for op::Add {
    unsafe fn red_async(_value: Money, _addr: u32, _mbar: u32) {}
    unsafe fn bulk_reduce(_dst: u32, _src: u32, _size: u32, _mbar: u32) {}
}

#[cfg(not(fixed))]
pub fn body<'c>(cluster: &Cluster<'c>, inbox: Inbox<'c, Money, 64, ByElement>) {
    let received = inbox.reduce_to_others(cluster, op::Add, |_| Money(1)).receive(cluster.cta());
    let _inbox = received.release().sync(cluster);
}

#[cfg(fixed)]
pub fn body<'c>(cluster: &Cluster<'c>, inbox: Inbox<'c, u32, 64, ByElement>) {
    let received = inbox.reduce_to_others(cluster, op::Add, |_| Money(1).0).receive(cluster.cta());
    let _inbox = received.release().sync(cluster);
}
