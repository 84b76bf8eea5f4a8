//! Without a group, a pipeline belongs to one CTA.

use ptx::cluster::Cluster;
use ptx::global::GlobalTile;
use ptx::pipeline::Pipeline;

pub fn body<'c>(
    cluster: &mut Cluster<'c>,
    pipeline: Pipeline<'c, [f32; 64], 2>,
    tile: GlobalTile<f32, 64>,
) -> Pipeline<'c, [f32; 64], 2> {
    pipeline.run(
        cluster.cta_mut(),
        |thread, producer| producer.load(thread, tile),
        |warps, consumer| consumer.wait(warps).release(warps),
    )
}
