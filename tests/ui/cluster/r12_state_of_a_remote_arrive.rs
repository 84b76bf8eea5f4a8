//! An arrival at another CTA's mbarrier returns no state, so this CTA cannot wait for it.

use ptx::cluster::{Channel, Cluster};
use ptx::shared::{Fenced, Shared};

pub fn body<'c>(cluster: &Cluster<'c>, channel: Channel<'c, u32, 128>, src: Shared<'c, u32, 128, Fenced>) {
    let received = channel.send(cluster, src).receive(cluster.cta());
    #[cfg(not(fixed))]
    let state: u64 = received.release().sync(cluster.cta()).acknowledge(cluster.cta());
    #[cfg(not(fixed))]
    let _ = state;
    #[cfg(fixed)]
    let acknowledged = received.release().sync(cluster.cta()).acknowledge(cluster.cta());
    #[cfg(fixed)]
    let _ = acknowledged.reclaim(cluster.cta());
}
