//! A pipeline belongs to the scope of the cluster whose CTAs share its tiles.

use ptx::cluster::{Cluster, Peers};
use ptx::global::GlobalTile;
use ptx::pipeline::Pipeline;

#[cfg(not(fixed))]
pub fn body<'c, 'd>(
    cluster: &mut Cluster<'c>,
    pair: Peers<'c, 2>,
    pipeline: Pipeline<'d, [f32; 64], 2>,
    tile: GlobalTile<f32, 64>,
) -> Pipeline<'d, [f32; 64], 2> {
    pipeline
        .multicast(pair)
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
    pair: Peers<'c, 2>,
    pipeline: Pipeline<'c, [f32; 64], 2>,
    tile: GlobalTile<f32, 64>,
) -> Pipeline<'c, [f32; 64], 2> {
    pipeline
        .multicast(pair)
        .run(
            cluster,
            |thread, producer| producer.load(thread, tile),
            |warps, consumer| consumer.wait(warps).release(warps),
        )
        .join(cluster)
}
