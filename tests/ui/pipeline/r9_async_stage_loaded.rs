//! A stage for asynchronous reads is released without the fence that ordinary loads need.

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
                    let stage = consumer.wait_async(warps);
                    #[cfg(fixed)]
                    let stage = consumer.wait(warps);
                    let _ = stage.get(0);
                    stage.release(warps)
                },
            )
            .join(cta)
    });
}
