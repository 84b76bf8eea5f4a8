//! The last run keeps the barrier of the consumers: warps that leave the run early would begin another run of its barrier.

use ptx::group::Cta;
use ptx::pipeline::{ConsumersBarrier, PipelineMemory};

type Stages = PipelineMemory<[u32; 64], 2>;

pub fn kernel(
    cta: Cta,
    consumers: ConsumersBarrier<1>,
    #[cfg(fixed)] others: ConsumersBarrier<2>,
    memory: (Stages, Stages),
) {
    cta.finish(memory, |cta, (one, other)| {
        let (one, ()) = one.run_with(cta, consumers, (), |_, producer| producer, |_, consumer, ()| (consumer, ())).end();
        #[cfg(not(fixed))]
        let run = other.run_with(cta, consumers, (), |_, producer| producer, |_, consumer, ()| (consumer, ()));
        #[cfg(fixed)]
        let run = other.run_with(cta, others, (), |_, producer| producer, |_, consumer, ()| (consumer, ()));
        (one, run.end().0)
    });
}
