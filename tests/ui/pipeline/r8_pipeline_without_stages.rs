//! A pipeline has at least one stage.

use ptx::global::GlobalTile;
use ptx::group::Cta;
use ptx::pipeline::PipelineMemory;

#[cfg(not(fixed))]
pub fn kernel(cta: &mut Cta, memory: PipelineMemory<[f32; 64], 0>, tile: GlobalTile<f32, 64>) {
    cta.async_scope(memory, |cta, pipeline| {
        pipeline.run(cta, |thread, producer| producer.load(thread, tile), |warps, consumer| consumer.wait(warps).release(warps)).join(cta)
    });
}

#[cfg(fixed)]
pub fn kernel(cta: &mut Cta, memory: PipelineMemory<[f32; 64], 2>, tile: GlobalTile<f32, 64>) {
    cta.async_scope(memory, |cta, pipeline| {
        pipeline.run(cta, |thread, producer| producer.load(thread, tile), |warps, consumer| consumer.wait(warps).release(warps)).join(cta)
    });
}
