//! A multicast needs memory of the cluster's scope, which each CTA has.

use ptx::cluster::{Cluster, Group};
use ptx::global::GlobalTile;
use ptx::pipeline::Pipeline;

pub fn body<'c>(
    cluster: &mut Cluster<'c>,
    pair: Group<'c, 2>,
    pipeline: Pipeline<'c, [f32; 64], 2>,
    tile: GlobalTile<f32, 64>,
) -> Pipeline<'c, [f32; 64], 2> {
    pipeline.multicast(pair).run(
        cluster,
        |thread, producer| producer.load(thread, tile),
        |warps, consumer| consumer.wait(warps).release(warps),
    )
}
