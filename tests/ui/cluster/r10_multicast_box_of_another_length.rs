//! A box and the DSMEM buffer that receives it have the same length.

use ptx::cache_policy::{CacheHint, CachePolicy};
use ptx::cluster::{ByTile, Cluster, Peers, Inbox};
use ptx::tensor::{Box2, TensorMap};

#[cfg(not(fixed))]
pub fn body<'c>(
    cluster: &Cluster<'c>,
    row: Peers<'c, 2>,
    inbox: Inbox<'c, f32, 1024, ByTile>,
    map: TensorMap<f32, Box2<32, 16>>,
) {
    let received = inbox.multicast_tensor(cluster, row, map.box_at([0, 0])).receive(cluster.cta());
    let (inbox, _) = received.release().sync(cluster);
    let policy = CachePolicy::evict_first();
    let _sent = inbox.multicast_tensor(cluster, row, map.box_at([0, 1]).cache_hint(policy));
}

#[cfg(fixed)]
pub fn body<'c>(
    cluster: &Cluster<'c>,
    row: Peers<'c, 2>,
    inbox: Inbox<'c, f32, 1024, ByTile>,
    map: TensorMap<f32, Box2<32, 32>>,
) {
    let received = inbox.multicast_tensor(cluster, row, map.box_at([0, 0])).receive(cluster.cta());
    let (inbox, _) = received.release().sync(cluster);
    let policy = CachePolicy::evict_first();
    let _sent = inbox.multicast_tensor(cluster, row, map.box_at([0, 1]).cache_hint(policy));
}
