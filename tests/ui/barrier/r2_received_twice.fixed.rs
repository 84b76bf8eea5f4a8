//! A consumer that has the tile waits for the next after its release: nobody sends before.

use ptx::barrier::{Consumer, Handoff, Waiting};
use ptx::warp::Warp;

type Pair = Handoff<1, 2, 64, 64>;

pub fn consume(
    consumer: Consumer<u32, 256, Pair, Waiting>,
    warp: &Warp,
) -> Consumer<u32, 256, Pair, Waiting> {
    consumer.receive(warp).release(warp).receive(warp).release(warp)
}
