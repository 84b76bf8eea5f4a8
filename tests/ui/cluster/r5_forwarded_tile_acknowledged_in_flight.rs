//! A forwarded tile is acknowledged after the copy has read it: the acknowledgement lets the sender overwrite it.

use ptx::cluster::{Channel, ChannelReceived, Cluster};

pub fn body<'c>(cluster: &Cluster<'c>, onward: Channel<'c, u32, 128>, tile: ChannelReceived<'c, u32, 128, ()>) {
    let cta = cluster.cta();
    let sent = onward.send(cluster, tile);
    #[cfg(fixed)]
    let (_onward, tile) = sent.receive(cta).acknowledge(cta).reclaim(cta);
    let _acknowledged = tile.acknowledge(cta);
    #[cfg(not(fixed))]
    let _acknowledged_too = sent.receive(cta).acknowledge(cta);
}
