//! After the wait there is no copy to test for completion.

use ptx::cluster::{ByElement, Cluster, Sent};

pub fn body<'c>(cluster: &Cluster<'c>, sent: Sent<'c, u32, 128, ByElement, ()>) -> bool {
    #[cfg(fixed)]
    let is_complete = sent.is_complete();
    let _received = sent.receive(cluster.cta());
    #[cfg(not(fixed))]
    {
        sent.is_complete()
    }
    #[cfg(fixed)]
    {
        is_complete
    }
}
