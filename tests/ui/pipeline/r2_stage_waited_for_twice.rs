//! A consumer waits for a stage once: the wait returns the stage.

use ptx::global::GlobalTile;
use ptx::group::Cta;
use ptx::pipeline::PipelineMemory;

pub fn kernel(cta: &mut Cta, memory: PipelineMemory<[f32; 64], 2>, tile: GlobalTile<f32, 64>) {
    cta.async_scope(memory, |cta, pipeline| {
        pipeline
            .run(
                cta,
                |thread, producer| producer.load(thread, tile),
                |warps, consumer| {
                    #[cfg(not(fixed))]
                    {
                        let _stage = consumer.wait(warps);
                        consumer.wait(warps).release(warps)
                    }
                    #[cfg(fixed)]
                    {
                        consumer.wait(warps).release(warps)
                    }
                },
            )
            .join(cta)
    });
}
