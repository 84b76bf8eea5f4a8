//! An arrival at another CTA's mbarrier returns no state, so this CTA cannot wait for it.

use ptx::cluster::{Channel, Cluster};
use ptx::shared::{Fenced, Shared};

pub fn body<'c>(cluster: &Cluster<'c>, channel: Channel<'c, u32, 128>, src: Shared<'c, u32, 128, Fenced>) {
    let received = channel.send(cluster, src).receive(cluster.cta());
    let state: u64 = received.acknowledge(cluster.cta());
    let _ = state;
}
