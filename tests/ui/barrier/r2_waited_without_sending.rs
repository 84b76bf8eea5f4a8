//! A producer waits for what it has sent to be read: before, there is nothing to wait for.

use ptx::barrier::{Handoff, Producer, Ready};
use ptx::warp::Warp;

type Pair = Handoff<1, 2, 64, 64>;

pub fn produce(
    producer: Producer<u32, 256, Pair, Ready>,
    warp: &Warp,
) -> Producer<u32, 256, Pair, Ready> {
    producer.wait(warp)
}
