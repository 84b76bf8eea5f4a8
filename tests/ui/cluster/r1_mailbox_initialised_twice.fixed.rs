//! A mailbox is initialised once, and invalidated once.

use ptx::cluster::{ByElement, ByRoute, ByTile, Mailbox};
use ptx::launch::Cta;

pub fn kernel(
    cta: &Cta,
    tiles: Mailbox<u32, 128, ByTile>,
    words: Mailbox<u32, 128, ByElement>,
    channel: Mailbox<u32, 128, ByRoute>,
) {
    let ready = tiles.init(cta);
    let _words = words.init(cta, |_| 0);
    let _channel = channel.init(cta);
    let tiles = ready.inval(cta);
    let ready = tiles.init(cta);
    let _tiles = ready.inval(cta);
}
