//! A consumer releases what it has received, once: another arrival would be of the next tile.

use ptx::barrier::{Consumer, Handoff, Waiting};
use ptx::warp::Warp;

type Pair = Handoff<1, 2, 64, 64>;

pub fn consume(
    consumer: Consumer<u32, 256, Pair, Waiting>,
    warp: &Warp,
) -> Consumer<u32, 256, Pair, Waiting> {
    consumer.receive(warp).release(warp).release(warp)
}
