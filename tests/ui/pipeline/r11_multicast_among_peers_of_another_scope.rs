//! A group belongs to one scope of a cluster, in which its CTAs have not exited.

use ptx::cluster::{Cluster, Peers};
use ptx::global::GlobalTile;
use ptx::pipeline::Pipeline;

#[cfg(not(fixed))]
pub fn body<'c, 'd>(
    cluster: &mut Cluster<'c>,
    rows: (Peers<'c, 2>, Peers<'d, 2>),
    pipeline: Pipeline<'c, ([f32; 64], [f32; 64]), 2>,
    tile: GlobalTile<f32, 64>,
) -> Pipeline<'c, ([f32; 64], [f32; 64]), 2> {
    pipeline
        .multicast(rows)
        .run(
            cluster,
            |thread, producer| producer.load(thread, (tile, tile)),
            |warps, consumer| consumer.wait(warps).release(warps),
        )
        .join(cluster)
}

#[cfg(fixed)]
pub fn body<'c>(
    cluster: &mut Cluster<'c>,
    rows: (Peers<'c, 2>, Peers<'c, 2>),
    pipeline: Pipeline<'c, ([f32; 64], [f32; 64]), 2>,
    tile: GlobalTile<f32, 64>,
) -> Pipeline<'c, ([f32; 64], [f32; 64]), 2> {
    pipeline
        .multicast(rows)
        .run(
            cluster,
            |thread, producer| producer.load(thread, (tile, tile)),
            |warps, consumer| consumer.wait(warps).release(warps),
        )
        .join(cluster)
}
