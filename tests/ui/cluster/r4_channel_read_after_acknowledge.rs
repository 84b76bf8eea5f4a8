//! After the acknowledgement, the next tile overwrites the tile of a channel.

use ptx::cluster::{Channel, Cluster};
use ptx::shared::{Fenced, Shared};

pub fn body<'c>(cluster: &Cluster<'c>, channel: Channel<'c, u32, 128>, src: Shared<'c, u32, 128, Fenced>) {
    let received = channel.send(cluster, src).receive(cluster.cta());
    #[cfg(not(fixed))]
    let acknowledged = received.acknowledge(cluster.cta());
    let _ = received.get(0);
    #[cfg(fixed)]
    let acknowledged = received.acknowledge(cluster.cta());
    let _ = acknowledged.reclaim(cluster.cta());
}
