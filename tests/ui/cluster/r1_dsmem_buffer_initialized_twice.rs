//! A DSMEM buffer is initialized once, and invalidated once.

use ptx::cluster::{ByChannel, ByElement, ByTile, DsmemBuffer};
use ptx::launch::Cta;

pub fn kernel(
    cta: &Cta,
    tiles: DsmemBuffer<u32, 128, ByTile>,
    words: DsmemBuffer<u32, 128, ByElement>,
    channel: DsmemBuffer<u32, 128, ByChannel>,
) {
    let ready = tiles.init(cta);
    #[cfg(not(fixed))]
    let _again = tiles.init(cta);
    let _words = words.init(cta, |_| 0);
    #[cfg(not(fixed))]
    let _again = words.init(cta, |_| 0);
    let _channel = channel.init(cta);
    #[cfg(not(fixed))]
    let _again = channel.init(cta);
    #[cfg(fixed)]
    let tiles = ready.inval(cta);
    #[cfg(fixed)]
    let ready = tiles.init(cta);
    let _tiles = ready.inval(cta);
    #[cfg(not(fixed))]
    let _again = ready.inval(cta);
}
