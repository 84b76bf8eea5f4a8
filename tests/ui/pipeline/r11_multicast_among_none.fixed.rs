//! Without a group it is the pipeline of one CTA.

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
        |producer| producer.load(tile),
        |consumer| consumer.wait().release(),
    )
}
