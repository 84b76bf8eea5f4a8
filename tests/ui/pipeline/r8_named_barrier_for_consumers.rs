//! The barrier of the consumers counts what the run knows: it has no count of its own, which could be another.

use ptx::barrier::NamedBarrier;
use ptx::group::Cta;
use ptx::pipeline::{ConsumersBarrier, PipelineMemory};

#[cfg(not(fixed))]
pub type Barrier = NamedBarrier<1, 96>;
#[cfg(fixed)]
pub type Barrier = ConsumersBarrier<1>;

pub fn kernel(cta: Cta, consumers: Barrier, memory: PipelineMemory<[u32; 64], 2>) {
    cta.finish(memory, |cta, pipeline| {
        pipeline.run_with(cta, consumers, (), |_, producer| producer, |_, consumer, ()| (consumer, ())).end().0
    });
}
