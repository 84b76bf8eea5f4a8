//! A tile belongs to its stage, which is loaded again after its release.

use ptx::global::GlobalTile;
use ptx::launch::Cta;
use ptx::pipeline::{Pipeline, StageTile};

pub fn body<'s>(cta: &mut Cta, pipeline: Pipeline<'s, [f32; 64], 2>, tile: GlobalTile<f32, 64>) -> Pipeline<'s, [f32; 64], 2> {
    let mut kept: Option<StageTile<f32, 64>> = None;
    pipeline.run(
        cta,
        |thread, producer| producer.load(thread, tile).load(thread, tile),
        |warps, consumer| {
            let first = consumer.wait(warps);
            kept = Some(first.tiles());
            first.release(warps).wait(warps).release(warps)
        },
    )
}
