//! A channel needs a permutation, and `rotation` may return `None`.

use ptx::cluster::{ByChannel, Cluster, Inbox};

pub fn body<'c>(cluster: &Cluster<'c>, inbox: Inbox<'c, u32, 128, ByChannel>) {
    #[cfg(not(fixed))]
    let _channel = inbox.into_channel(cluster.rotation(1));
    #[cfg(fixed)]
    let Some(permutation) = cluster.rotation(1) else { return };
    #[cfg(fixed)]
    let _channel = inbox.into_channel(permutation);
}
