//! The producer is one thread: no call there waits for the others of the CTA.

use ptx::cluster::{Cluster, Group};
use ptx::global::GlobalTile;
use ptx::launch::Cta;
use ptx::pipeline::Pipeline;

pub fn body<'s>(cta: &mut Cta, pipeline: Pipeline<'s, [f32; 64], 2>, tile: GlobalTile<f32, 64>) -> Pipeline<'s, [f32; 64], 2> {
    pipeline.run(
        cta,
        |producer| {
            cta.sync();
            producer.load(tile)
        },
        |consumer| consumer.wait().release(),
    )
}

pub fn multicast<'c>(
    cluster: &mut Cluster<'c>,
    pair: Group<'c, 2>,
    pipeline: Pipeline<'c, [f32; 64], 2>,
    tile: GlobalTile<f32, 64>,
) -> Pipeline<'c, [f32; 64], 2> {
    pipeline.run_multicast(
        cluster,
        pair,
        |producer| {
            cluster.sync();
            producer.load(tile)
        },
        |consumer| consumer.wait().release(),
    )
}
