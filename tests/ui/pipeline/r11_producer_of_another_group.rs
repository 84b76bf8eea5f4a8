//! The producer of a group of two loads halves, that of a group of four quarters.

use ptx::cluster::{Cluster, Peers};
use ptx::global::GlobalTile;
use ptx::group::Thread;
use ptx::pipeline::{Pipeline, Producer};

#[cfg(not(fixed))]
fn produce<'p, 'c>(
    thread: &Thread<'p>,
    producer: Producer<'p, [f32; 64], 2, Peers<'c, 2>>,
    tile: GlobalTile<f32, 64>,
) -> Producer<'p, [f32; 64], 2, Peers<'c, 2>> {
    producer.load(thread, tile)
}

#[cfg(fixed)]
fn produce<'p, 'c>(
    thread: &Thread<'p>,
    producer: Producer<'p, [f32; 64], 2, Peers<'c, 4>>,
    tile: GlobalTile<f32, 64>,
) -> Producer<'p, [f32; 64], 2, Peers<'c, 4>> {
    producer.load(thread, tile)
}

pub fn body<'c>(
    cluster: &mut Cluster<'c>,
    four: Peers<'c, 4>,
    pipeline: Pipeline<'c, [f32; 64], 2>,
    tile: GlobalTile<f32, 64>,
) -> Pipeline<'c, [f32; 64], 2> {
    pipeline
        .multicast(four)
        .run(
            cluster,
            |thread, producer| produce(thread, producer, tile),
            |warps, consumer| consumer.wait(warps).release(warps),
        )
        .join(cluster)
}
