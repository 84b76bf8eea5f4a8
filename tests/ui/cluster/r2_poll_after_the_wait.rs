//! After the wait there is no copy to test for completion.

use ptx::cluster::{ByElement, Cluster, Sent};

pub fn body<'c>(cluster: &Cluster<'c>, sent: Sent<'c, u32, 128, ByElement, ()>) -> bool {
    let _received = sent.receive(cluster.cta());
    sent.is_complete()
}
