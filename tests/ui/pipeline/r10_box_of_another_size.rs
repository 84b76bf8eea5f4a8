//! A stage has the size of the box that is loaded into it.

use ptx::group::Cta;
use ptx::pipeline::PipelineMemory;
use ptx::tensor::{Box2, TensorMap};

#[cfg(not(fixed))]
pub fn kernel(cta: &mut Cta, memory: PipelineMemory<[f32; 128], 2>, map: TensorMap<f32, Box2<32, 8>>) {
    cta.async_scope(memory, |cta, pipeline| {
        pipeline
            .run(
                cta,
                |thread, producer| producer.load(thread, map.box_at([0, 0])),
                |warps, consumer| consumer.wait(warps).release(warps),
            )
            .join(cta)
    });
}

#[cfg(fixed)]
pub fn kernel(cta: &mut Cta, memory: PipelineMemory<[f32; 256], 2>, map: TensorMap<f32, Box2<32, 8>>) {
    cta.async_scope(memory, |cta, pipeline| {
        pipeline
            .run(
                cta,
                |thread, producer| producer.load(thread, map.box_at([0, 0])),
                |warps, consumer| consumer.wait(warps).release(warps),
            )
            .join(cta)
    });
}
