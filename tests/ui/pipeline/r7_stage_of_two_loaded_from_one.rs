//! The mbarrier of a stage of two tiles expects the bytes of both.

use ptx::global::GlobalTile;
use ptx::group::Thread;
use ptx::pipeline::Producer;

#[cfg(not(fixed))]
pub fn produce<'p>(
    thread: &Thread<'p>,
    producer: Producer<'p, ([f32; 64], [u32; 64]), 2>,
    values: GlobalTile<f32, 64>,
) -> Producer<'p, ([f32; 64], [u32; 64]), 2> {
    producer.load(thread, values)
}

#[cfg(fixed)]
pub fn produce<'p>(
    thread: &Thread<'p>,
    producer: Producer<'p, ([f32; 64], [u32; 64]), 2>,
    values: GlobalTile<f32, 64>,
    indices: GlobalTile<u32, 64>,
) -> Producer<'p, ([f32; 64], [u32; 64]), 2> {
    producer.load(thread, (values, indices))
}
