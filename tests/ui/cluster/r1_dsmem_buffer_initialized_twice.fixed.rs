//! A DSMEM buffer is initialized once, and invalidated once.

use ptx::cluster::{ByElement, ByChannel, ByTile, DsmemBuffer};
use ptx::launch::Cta;

pub fn kernel(
    cta: &Cta,
    tiles: DsmemBuffer<u32, 128, ByTile>,
    words: DsmemBuffer<u32, 128, ByElement>,
    channel: DsmemBuffer<u32, 128, ByChannel>,
) {
    let ready = tiles.init(cta);
    let _words = words.init(cta, |_| 0);
    let _channel = channel.init(cta);
    let tiles = ready.inval(cta);
    let ready = tiles.init(cta);
    let _tiles = ready.inval(cta);
}
