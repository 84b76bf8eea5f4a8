//! The consumers are not all threads of the CTA: none of their calls waits for the CTA.

use ptx::global::GlobalTile;
use ptx::group::Cta;
use ptx::pipeline::{ConsumersBarrier, Pipeline, PipelineMemory};
use ptx::shared::Ended;

pub fn body<'s>(cta: &mut Cta, pipeline: Pipeline<'s, [f32; 64], 2>, tile: GlobalTile<f32, 64>) -> Pipeline<'s, [f32; 64], 2> {
    #[cfg(not(fixed))]
    {
        pipeline.run(
            cta,
            |thread, producer| producer.load(thread, tile),
            |warps, consumer| {
                let tile = consumer.wait(warps);
                cta.sync();
                tile.release(warps)
            },
        ).join(cta)
    }
    #[cfg(fixed)]
    {
        let pipeline = pipeline.run(
            cta,
            |thread, producer| producer.load(thread, tile),
            |warps, consumer| consumer.wait(warps).release(warps),
        ).join(cta);
        cta.sync();
        pipeline
    }
}

pub fn with<'s>(
    cta: &mut Cta,
    consumers: ConsumersBarrier<1>,
    pipeline: Pipeline<'s, [f32; 64], 2>,
) -> Ended<'s, PipelineMemory<[f32; 64], 2>> {
    #[cfg(not(fixed))]
    let (ended, ()) = pipeline.run_with(
        cta,
        consumers,
        (),
        |_, producer| producer,
        |_, consumer, ()| {
            cta.sync();
            (consumer, ())
        },
    ).end();
    #[cfg(fixed)]
    let (ended, ()) = pipeline.run_with(
        cta,
        consumers,
        (),
        |_, producer| producer,
        |warps, consumer, ()| {
            warps.sync();
            (consumer, ())
        },
    ).end();
    ended
}
