//! Handles of the consumers stay in the run.

use ptx::group::Cta;
use ptx::pipeline::{ConsumersBarrier, Pipeline};
use ptx::shared::{Free, Shared};

type Stages<'s> = Pipeline<'s, [f32; 64], 2>;
type Tile<'s> = Shared<'s, f32, 64, Free>;

pub fn body<'s>(cta: &mut Cta, consumers: ConsumersBarrier<1>, pipeline: Stages<'s>, tile: Tile<'s>) -> Stages<'s> {
    #[cfg(not(fixed))]
    let mut kept = None;
    #[cfg(not(fixed))]
    let (pipeline, _tile, _consumers) = pipeline.run_with(
        cta,
        consumers,
        tile,
        |_, producer| producer,
        |_, consumer, tile| {
            kept = Some(tile);
            loop {
                _ = &consumer
            }
        },
    ).join(cta);
    #[cfg(not(fixed))]
    drop(kept);
    #[cfg(fixed)]
    let (pipeline, _tile, _consumers) =
        pipeline.run_with(cta, consumers, tile, |_, producer| producer, |_, consumer, tile| (consumer, tile.end())).join(cta);
    pipeline
}
