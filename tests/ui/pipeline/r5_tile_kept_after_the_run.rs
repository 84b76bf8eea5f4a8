//! A tile is of its stage, which is loaded again once it is released.

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
