//! The warpgroup that produces gives registers up.

use ptx::bf16;
use ptx::group::Cta;
use ptx::pipeline::{MaxRegisters, PipelineMemory, Pipelines as _, WarpgroupBarriers};
use ptx::qualifier::swizzle_mode;
use ptx::tensor::Box2;
use ptx::wgmma::Tile;

type Memory = PipelineMemory<Tile<bf16, Box2<64, 64, swizzle_mode::B128>>, 4>;

#[cfg(not(fixed))]
type Registers = MaxRegisters<200, 168>;
#[cfg(fixed)]
type Registers = MaxRegisters<40, 232>;
const REGISTERS: Registers = MaxRegisters;

pub fn kernel(cta: Cta, barriers: WarpgroupBarriers<2>, memory: Memory) {
    cta.finish(memory, |cta, pipeline| {
        pipeline
            .run_warpgroups(
                cta,
                barriers,
                REGISTERS,
                [(), ()],
                |_, producer| producer,
                |_, consumer, wgmma, ()| (consumer, wgmma, ()),
            )
            .end()
            .0
    });
}
