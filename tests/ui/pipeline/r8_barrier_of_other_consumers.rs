//! The barrier of the consumers has as many threads as consume.

use ptx::barrier::NamedBarrier;
use ptx::group::Cta;
use ptx::pipeline::{BarrierPair, PipelineMemory};

#[cfg(not(fixed))]
pub fn kernel(
    cta: &mut Cta,
    consumers: NamedBarrier<3, 96>,
    memory: PipelineMemory<[u32; 64], 1, BarrierPair<1, 2, 64, 64>>,
) {
    cta.async_scope(memory, |cta, pipeline| {
        pipeline.run_with(cta, consumers, (), |_, producer| producer, |_, consumer, ()| (consumer, ())).join(cta).0
    });
}

#[cfg(fixed)]
pub fn kernel(
    cta: &mut Cta,
    consumers: NamedBarrier<3, 64>,
    memory: PipelineMemory<[u32; 64], 1, BarrierPair<1, 2, 64, 64>>,
) {
    cta.async_scope(memory, |cta, pipeline| {
        pipeline.run_with(cta, consumers, (), |_, producer| producer, |_, consumer, ()| (consumer, ())).join(cta).0
    });
}
