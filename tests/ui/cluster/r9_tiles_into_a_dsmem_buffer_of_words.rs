//! One proxy fills a DSMEM buffer: bulk copies do not fill a buffer of threads.

use ptx::cluster::{ByElement, ByTile, Cluster, Peers, Inbox, Permutation};
use ptx::global::GlobalTile;
use ptx::qualifier::op;
use ptx::shared::{Loaded, Shared};

#[cfg(not(fixed))]
pub fn body<'c>(
    cluster: &Cluster<'c>,
    (permutation, pair): (Permutation<'c>, Peers<'c, 2>),
    [a, b, c]: [Inbox<'c, u32, 128, ByElement>; 3],
    [first, second]: [Shared<'c, u32, 128, Loaded>; 2],
    src: GlobalTile<u32, 128>,
) {
    let _sent = a.send(cluster, permutation, first);
    let _sent = b.send_reduce(cluster, op::Add, permutation, second);
    let _sent = c.multicast(cluster, pair, src);
}

#[cfg(fixed)]
pub fn body<'c>(
    cluster: &Cluster<'c>,
    (permutation, pair): (Permutation<'c>, Peers<'c, 2>),
    [a, b, c]: [Inbox<'c, u32, 128, ByTile>; 3],
    [first, second]: [Shared<'c, u32, 128, Loaded>; 2],
    src: GlobalTile<u32, 128>,
) {
    let _sent = a.send(cluster, permutation, first);
    let _sent = b.send_reduce(cluster, op::Add, permutation, second);
    let _sent = c.multicast(cluster, pair, src);
}
