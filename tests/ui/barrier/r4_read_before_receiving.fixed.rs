//! The tile is there to read between `receive` and `release`.

use ptx::barrier::{Consumer, Handoff, Waiting};
use ptx::warp::Warp;

type Pair = Handoff<1, 2, 64, 64>;

pub fn consume(
    consumer: Consumer<u32, 256, Pair, Waiting>,
    warp: &Warp,
) -> Consumer<u32, 256, Pair, Waiting> {
    let tile = consumer.receive(warp);
    let _first = tile.get(0);
    tile.release(warp)
}
