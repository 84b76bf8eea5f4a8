//! An incoming tile does not prove that this CTA's tile has been read: only the receiver's acknowledgement does.

use ptx::cluster::{Channel, Cluster};
use ptx::shared::{Fenced, Shared};

pub fn body<'c>(cluster: &Cluster<'c>, channel: Channel<'c, u32, 128>, src: Shared<'c, u32, 128, Fenced>) {
    let received = channel.send(cluster, src).receive(cluster.cta());
    #[cfg(not(fixed))]
    let (_channel, _src) = received.reclaim(cluster.cta());
    #[cfg(fixed)]
    let (_channel, _src) =
        received.release().sync(cluster.cta()).acknowledge(cluster.cta()).reclaim(cluster.cta());
}
