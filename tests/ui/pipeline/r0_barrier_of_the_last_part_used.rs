//! The last run keeps the barrier of the consumers: a warp that leaves the run early could arrive at it.

use ptx::barrier::NamedBarrier;
use ptx::group::Cta;
use ptx::pipeline::PipelineMemory;

pub fn kernel(cta: Cta, consumers: NamedBarrier<1, 96>, memory: PipelineMemory<[u32; 64], 2>) {
    cta.finish(memory, |cta, pipeline| {
        let (ended, ()) =
            pipeline.run_with(cta, consumers, (), |_, producer| producer, |_, consumer, ()| (consumer, ())).end();
        #[cfg(not(fixed))]
        consumers.sync(&cta.warp());
        #[cfg(fixed)]
        cta.sync();
        ended
    });
}
