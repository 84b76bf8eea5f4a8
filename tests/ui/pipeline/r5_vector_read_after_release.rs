//! The producer may overwrite a released stage, and so its vectors.

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
                    let stage = consumer.wait(warps);
                    #[cfg(not(fixed))]
                    let consumer = stage.release(warps);
                    let _ = stage.get_vector(0);
                    #[cfg(not(fixed))]
                    {
                        consumer
                    }
                    #[cfg(fixed)]
                    {
                        stage.release(warps)
                    }
                },
            )
            .join(cta)
    });
}
