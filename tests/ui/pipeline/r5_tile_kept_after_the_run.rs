//! A tile belongs to its stage, which is loaded again after its release.

use ptx::global::GlobalTile;
use ptx::group::Cta;
use ptx::pipeline::{Pipeline, StageTile};

pub fn body<'s>(cta: &mut Cta, pipeline: Pipeline<'s, [f32; 64], 2>, tile: GlobalTile<f32, 64>) -> Pipeline<'s, [f32; 64], 2> {
    #[cfg(not(fixed))]
    let mut kept: Option<StageTile<f32, 64>> = None;
    #[cfg(fixed)]
    let mut kept: Option<f32> = None;
    pipeline.run(
        cta,
        |thread, producer| producer.load(thread, tile).load(thread, tile),
        |warps, consumer| {
            let first = consumer.wait(warps);
            #[cfg(not(fixed))]
            {
                kept = Some(first.tiles());
            }
            #[cfg(fixed)]
            {
                kept = first.tiles().get(0);
            }
            first.release(warps).wait(warps).release(warps)
        },
    ).join(cta)
}
