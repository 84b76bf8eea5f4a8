//! A CTA sends again only after every CTA has received and read, with a hint too.

use ptx::cache_policy::{CacheHint, CachePolicy};
use ptx::cluster::{ByTile, Cluster, Peers, Inbox};
use ptx::global::GlobalTile;

pub fn body<'c>(cluster: &Cluster<'c>, row: Peers<'c, 2>, inbox: Inbox<'c, u32, 128, ByTile>, src: GlobalTile<u32, 128>) {
    let policy = CachePolicy::evict_last();
    let received = inbox.multicast(cluster, row, src.cache_hint(policy)).receive(cluster.cta());
    #[cfg(not(fixed))]
    let _sent = received.multicast(cluster, row, src.cache_hint(policy));
    #[cfg(fixed)]
    let (inbox, src) = received.release().sync(cluster);
    #[cfg(fixed)]
    let _sent = inbox.multicast(cluster, row, src.cache_hint(policy));
}
