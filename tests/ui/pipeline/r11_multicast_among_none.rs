//! Where no CTA shares a tile, the threads of this one alone use the pipeline, and need no barrier of the cluster.

use ptx::cluster::Cluster;
use ptx::global::GlobalTile;
use ptx::pipeline::Pipeline;

pub fn body<'c>(
    cluster: &mut Cluster<'c>,
    pipeline: Pipeline<'c, [f32; 64], 2>,
    tile: GlobalTile<f32, 64>,
) -> Pipeline<'c, [f32; 64], 2> {
    pipeline.multicast(()).run(
        cluster,
        |thread, producer| producer.load(thread, tile),
        |warps, consumer| consumer.wait(warps).release(warps),
    )
}
