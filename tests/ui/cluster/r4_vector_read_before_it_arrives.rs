//! A tile in flight is not readable: only the wait returns the tile.

use ptx::cluster::{ByTile, Channel, Cluster, Inbox, Permutation};
use ptx::shared::{Fenced, Shared};

pub fn body<'c>(
    cluster: &Cluster<'c>,
    inbox: Inbox<'c, u32, 128, ByTile>,
    channel: Channel<'c, u32, 128>,
    permutation: Permutation<'c>,
    [one, other]: [Shared<'c, u32, 128, Fenced>; 2],
) {
    let sent = inbox.send(cluster, permutation, one);
    #[cfg(not(fixed))]
    let _ = sent.get_vector(0);
    #[cfg(not(fixed))]
    let sent = channel.send(cluster, other);
    #[cfg(not(fixed))]
    let _ = sent.get_vector(0);
    #[cfg(fixed)]
    let received = sent.receive(cluster.cta());
    #[cfg(fixed)]
    let _ = received.get_vector(0);
    #[cfg(fixed)]
    let received = channel.send(cluster, other).receive(cluster.cta());
    #[cfg(fixed)]
    let _ = received.get_vector(0);
}
