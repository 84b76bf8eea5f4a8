//! Each CTA of a group copies its part of a tile, a multiple of 16 bytes: 8 words are too few for four CTAs.

use ptx::cluster::{Cluster, Peers};
use ptx::global::GlobalTile;
use ptx::pipeline::Pipeline;

#[cfg(not(fixed))]
pub fn body<'c>(
    cluster: &mut Cluster<'c>,
    row: Peers<'c, 4>,
    pipeline: Pipeline<'c, [f32; 8], 2>,
    tile: GlobalTile<f32, 8>,
) -> Pipeline<'c, [f32; 8], 2> {
    pipeline
        .multicast(row)
        .run(
            cluster,
            |thread, producer| producer.load(thread, tile),
            |warps, consumer| consumer.wait(warps).release(warps),
        )
        .join(cluster)
}

#[cfg(fixed)]
pub fn body<'c>(
    cluster: &mut Cluster<'c>,
    row: Peers<'c, 4>,
    pipeline: Pipeline<'c, [f32; 16], 2>,
    tile: GlobalTile<f32, 16>,
) -> Pipeline<'c, [f32; 16], 2> {
    pipeline
        .multicast(row)
        .run(
            cluster,
            |thread, producer| producer.load(thread, tile),
            |warps, consumer| consumer.wait(warps).release(warps),
        )
        .join(cluster)
}
