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
    let _again = tiles.init(cta);
    let _words = words.init(cta, |_| 0);
    let _again = words.init(cta, |_| 0);
    let _channel = channel.init(cta);
    let _again = channel.init(cta);
    let _tiles = ready.inval(cta);
    let _again = ready.inval(cta);
}
