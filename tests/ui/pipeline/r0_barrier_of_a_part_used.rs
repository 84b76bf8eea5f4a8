//! The consumers of a run have their barrier for themselves: another call would count as an arrival of theirs.

use ptx::group::Cta;
use ptx::pipeline::{ConsumersBarrier, Pipeline, PipelineMemory};
use ptx::shared::{Ended, Free, Shared, SharedArray};

type Stages<'s> = Pipeline<'s, [f32; 64], 2>;
type Tile<'s> = Shared<'s, f32, 64, Free>;
type Ends<'s> = (Ended<'s, PipelineMemory<[f32; 64], 2>>, Ended<'s, SharedArray<f32, 64>>);

pub fn body<'s>(cta: &mut Cta, consumers: ConsumersBarrier<1>, pipeline: Stages<'s>, tile: Tile<'s>) -> Stages<'s> {
    let (pipeline, _tile, _consumers) = pipeline.run_with(
        cta,
        consumers,
        tile,
        |_, producer| producer,
        |warps, consumer, tile| {
            #[cfg(not(fixed))]
            consumers.sync(&warps.warp());
            #[cfg(fixed)]
            warps.sync();
            (consumer, tile.end())
        },
    ).join(cta);
    pipeline
}

pub fn last<'s>(cta: &mut Cta, consumers: ConsumersBarrier<1>, pipeline: Stages<'s>, tile: Tile<'s>) -> Ends<'s> {
    let (pipeline, tile) = pipeline.run_with(
        cta,
        consumers,
        tile,
        |_, producer| producer,
        |warps, consumer, tile| {
            #[cfg(not(fixed))]
            consumers.sync(&warps.warp());
            #[cfg(fixed)]
            warps.sync();
            (consumer, tile.end())
        },
    ).end();
    (pipeline, tile)
}
