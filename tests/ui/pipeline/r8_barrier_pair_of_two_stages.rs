//! A `BarrierPair` signals one stage.

use ptx::group::Cta;
use ptx::pipeline::{BarrierPair, PipelineMemory};

#[cfg(not(fixed))]
pub fn kernel(cta: &mut Cta, memory: PipelineMemory<[u32; 64], 2, BarrierPair<1, 2, 64, 64>>) {
    cta.async_scope(memory, |cta, pipeline| pipeline.run(cta, |_, producer| producer, |_, consumer| consumer).join(cta));
}

#[cfg(fixed)]
pub fn kernel(cta: &mut Cta, memory: PipelineMemory<[u32; 64], 1, BarrierPair<1, 2, 64, 64>>) {
    cta.async_scope(memory, |cta, pipeline| pipeline.run(cta, |_, producer| producer, |_, consumer| consumer).join(cta));
}
