//! A cluster barrier is no proxy fence: stores of threads of any CTA are fenced before a copy reads them.

use ptx::bulk;
use ptx::cluster::Cluster;
use ptx::global::GlobalTileMut;
use ptx::shared::{Free, Shared, Written};

pub fn body<'c>(
    cluster: &Cluster<'c>,
    stored: Shared<'c, u32, 128, Written>,
    peers: Shared<'c, u32, 128, Free>,
    sums: Shared<'c, u32, 128, Written>,
    [one, two, three]: [GlobalTileMut<u32, 128>; 3],
) {
    let cta = cluster.cta();
    #[cfg(not(fixed))]
    let stored = cluster.publish(stored).sync(cluster).close().sync(cluster);
    #[cfg(not(fixed))]
    let peers = cluster.open_write_only(peers).sync(cluster).close().sync(cluster);
    #[cfg(not(fixed))]
    let sums = cluster.open_atomic(sums).sync(cluster).close().sync(cluster);
    #[cfg(fixed)]
    let stored = cluster.publish(stored).sync(cluster).close().sync(cluster).to_async().sync(cta);
    #[cfg(fixed)]
    let peers = cluster.open_write_only(peers).sync(cluster).close().sync(cluster).to_async().sync(cta);
    #[cfg(fixed)]
    let sums = cluster.open_atomic(sums).sync(cluster).close().sync(cluster).to_async().sync(cta);
    let _one = bulk::store(cta, stored, one).commit(cta).wait(cta).sync(cta);
    let _two = bulk::store(cta, peers, two).commit(cta).wait(cta).sync(cta);
    let _three = bulk::store(cta, sums, three).commit(cta).wait(cta).sync(cta);
}
