//! A channel ends after the receiver has acknowledged the last tile and this CTA has its source back.

use ptx::cluster::{Channel, Cluster};
use ptx::shared::{Fenced, Shared};

pub fn body<'c>(cluster: &Cluster<'c>, channel: Channel<'c, u32, 128>, src: Shared<'c, u32, 128, Fenced>) {
    let received = channel.send(cluster, src).receive(cluster.cta());
    #[cfg(not(fixed))]
    let _inbox = received.into_inbox().sync(cluster);
    #[cfg(fixed)]
    let (channel, _src) =
        received.release().sync(cluster.cta()).acknowledge(cluster.cta()).reclaim(cluster.cta());
    #[cfg(fixed)]
    let _inbox = channel.into_inbox().sync(cluster);
}
