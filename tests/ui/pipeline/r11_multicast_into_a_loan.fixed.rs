//! What the cluster's scope lends is there in every CTA.

use ptx::cluster::{Cluster, Group};
use ptx::global::GlobalTile;
use ptx::pipeline::Pipeline;

pub fn body<'c>(
    cluster: &mut Cluster<'c>,
    pair: Group<'c, 2>,
    pipeline: Pipeline<'c, [f32; 64], 2>,
    tile: GlobalTile<f32, 64>,
) -> Pipeline<'c, [f32; 64], 2> {
    pipeline.run_multicast(
        cluster,
        pair,
        |producer| producer.load(tile),
        |consumer| consumer.wait().release(),
    )
}
