//! A tile is acknowledged after the store has read it: the sender may then send the next tile.

use ptx::bulk;
use ptx::cluster::ChannelReceived;
use ptx::global::GlobalTileMut;
use ptx::group::Cta;

pub fn body<'c>(cta: &Cta, tile: ChannelReceived<'c, u32, 128, ()>, dst: GlobalTileMut<u32, 128>) {
    let store = bulk::store(cta, tile, dst).commit(cta);
    #[cfg(fixed)]
    let tile = store.wait_read(cta).sync(cta);
    #[cfg(not(fixed))]
    let _acknowledged = tile.release().sync(cta).acknowledge(cta);
    #[cfg(fixed)]
    let _acknowledged = tile.acknowledge(cta);
    #[cfg(not(fixed))]
    let _ = store.wait_read(cta).sync(cta);
}
