//! The receiver tells the sender of a channel by an mbarrier: a barrier does not make the channel ready for more.

use ptx::bulk;
use ptx::cluster::{ChannelReceived, Cluster};
use ptx::global::GlobalTileMut;

pub fn body<'c>(cluster: &Cluster<'c>, tile: ChannelReceived<'c, u32, 128, ()>, dst: GlobalTileMut<u32, 128>) {
    let cta = cluster.cta();
    let store = bulk::store(cta, tile, dst).commit(cta);
    #[cfg(not(fixed))]
    let _ = store.wait_read(cta).sync(cta).release().sync(cluster);
    #[cfg(fixed)]
    let released = store.wait_read(cta).sync(cta);
    #[cfg(fixed)]
    let _ = released.acknowledge(cta);
}
