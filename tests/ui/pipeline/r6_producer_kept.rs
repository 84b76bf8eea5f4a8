//! A handle does not leave its run.

use ptx::global::GlobalTile;
use ptx::group::Cta;
use ptx::pipeline::PipelineMemory;

pub fn kernel(cta: &mut Cta, memory: PipelineMemory<[f32; 64], 2>, tile: GlobalTile<f32, 64>) {
    #[cfg(not(fixed))]
    let mut kept = None;
    cta.async_scope(memory, |cta, pipeline| {
        #[cfg(not(fixed))]
        {
            pipeline
                .run(
                    cta,
                    |thread, producer| {
                        kept = Some(producer.load(thread, tile));
                        loop {}
                    },
                    |warps, consumer| consumer.wait(warps).release(warps),
                )
                .join(cta)
        }
        #[cfg(fixed)]
        {
            pipeline
                .run(
                    cta,
                    |thread, producer| producer.load(thread, tile),
                    |warps, consumer| consumer.wait(warps).release(warps),
                )
                .join(cta)
        }
    });
    #[cfg(not(fixed))]
    drop(kept);
}
