//! The operations of the crate work on DSMEM buffers.

use ptx::cluster::{ByElement, Cluster, ClusterReduce, Inbox};

pub fn body<'c, Op: ClusterReduce<u32>>(cluster: &Cluster<'c>, op: Op, inbox: Inbox<'c, u32, 64, ByElement>) {
    let received = inbox.reduce_to_others(cluster, op, |_| 1).receive(cluster.cta());
    let _inbox = received.release(cluster);
}
