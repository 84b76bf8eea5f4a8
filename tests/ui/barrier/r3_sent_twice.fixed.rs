//! A tile is sent again when it has been read: an arrive too many completes the barrier too early.

use ptx::barrier::{Handoff, Producer, Ready};
use ptx::warp::Warp;

type Pair = Handoff<1, 2, 64, 64>;

pub fn produce(
    producer: Producer<u32, 256, Pair, Ready>,
    warp: &Warp,
) -> Producer<u32, 256, Pair, Ready> {
    producer.send(warp, |i| i as u32).wait(warp).send(warp, |i| 2 * i as u32).wait(warp)
}
