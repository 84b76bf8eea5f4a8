//! A reduction is an instruction, whose bytes the DSMEM buffer expects: a crate cannot define one.

use ptx::cluster::{ByElement, Cluster, ClusterReduce, Inbox};

#[cfg(not(fixed))]
pub struct Average;

#[cfg(not(fixed))]
impl ClusterReduce<u32> for Average {
    unsafe fn red_async(_value: u32, _addr: u32, _mbar: u32) {}
    unsafe fn bulk_reduce(_dst: u32, _src: u32, _size: u32, _mbar: u32) {}
}

#[cfg(fixed)]
pub fn body<'c, Op: ClusterReduce<u32>>(cluster: &Cluster<'c>, op: Op, inbox: Inbox<'c, u32, 64, ByElement>) {
    let received = inbox.reduce_to_others(cluster, op, |_| 1).receive(cluster.cta());
    let _inbox = received.release().sync(cluster);
}
