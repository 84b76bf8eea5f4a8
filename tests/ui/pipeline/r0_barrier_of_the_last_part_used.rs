//! The last run keeps the barrier of the consumers: a warp that leaves the run early could arrive at it.

use ptx::barrier::NamedBarrier;
use ptx::launch::Cta;
use ptx::pipeline::PipelineMemory;

pub fn kernel(cta: Cta, consumers: NamedBarrier<1, 96>, memory: PipelineMemory<[u32; 64], 2>) {
    cta.async_scope_last(memory, |cta, pipeline| {
        let parts = ((), ());
        let (ended, (), ()) =
            pipeline.run_with_last(cta, consumers, parts, |_, producer, ()| (producer, ()), |_, consumer, ()| (consumer, ()));
        #[cfg(not(fixed))]
        consumers.sync(&cta.warp());
        #[cfg(fixed)]
        cta.sync();
        ended
    });
}
