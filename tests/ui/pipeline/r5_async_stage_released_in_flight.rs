//! A stage is released after the copy has read it.

use ptx::bulk;
use ptx::global::{GlobalTile, GlobalTileMut};
use ptx::group::Cta;
use ptx::pipeline::{ConsumersBarrier, PipelineMemory};

pub fn kernel(
    cta: &mut Cta,
    consumers: ConsumersBarrier<1>,
    memory: PipelineMemory<[f32; 64], 2>,
    (from, to): (GlobalTile<f32, 64>, GlobalTileMut<f32, 64>),
) {
    cta.async_scope(memory, |cta, pipeline| {
        let (pipeline, (), _consumers) = pipeline
            .run_with(
                cta,
                consumers,
                (),
                |thread, producer| producer.load(thread, from),
                |warps, consumer, ()| {
                    let stage = consumer.wait_async(warps);
                    #[cfg(not(fixed))]
                    let _storing = bulk::store(warps, stage, to).commit(warps);
                    #[cfg(fixed)]
                    let stage = bulk::store(warps, stage, to).commit(warps).wait_read(warps).sync(warps);
                    (stage.release(warps), ())
                },
            )
            .join(cta);
        pipeline
    });
}
