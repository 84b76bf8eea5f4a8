//! A kernel whose warpgroups change their registers, by a run that a function of its own makes.

#![no_std]
#![feature(abi_ptx, asm_experimental_arch)]

use ptx::bf16;
use ptx::group::Cta;
use ptx::pipeline::{MaxRegisters, PipelineMemory, Pipelines as _, WarpgroupBarriers};
use ptx::qualifier::{n::N64, swizzle_mode};
use ptx::shared::SharedArray;
use ptx::tensor::{Box2, TensorMap};
use ptx::wgmma::{Tile, Zeros};

ptx::panic_handler!();

type Rows = Box2<64, 64, swizzle_mode::B128>;
type Memory = (PipelineMemory<(Tile<bf16, Rows>, Tile<bf16, Rows>), 4>, [SharedArray<bf16, 64>; 2]);

ptx::shared_memory! { struct Smem { barriers: WarpgroupBarriers<2> } }

fn consume(cta: Cta, smem: Smem, memory: Memory, map: &TensorMap<bf16, Rows>) {
    cta.finish(memory, |cta, (pipeline, out)| {
        let run = pipeline.run_warpgroups(
            cta,
            smem.barriers,
            MaxRegisters::<40, 232>,
            out,
            |thread, producer| producer.load(thread, (map.box_at([0, 0]), map.box_at([0, 1]))),
            |warpgroup, consumer, wgmma, out| {
                let (stage, consumer) = consumer.operands(warpgroup);
                let products = wgmma.start(warpgroup, Zeros::<N64>::new(), stage, |sums, stage| {
                    let (a, b) = stage.tiles();
                    sums.mma(a, b)
                });
                let (wgmma, (_sums, stage)) = products.wait(warpgroup);
                stage.release(warpgroup);
                (consumer, wgmma, out.end())
            },
        );
        run.end()
    });
}

#[ptx::kernel(threads = 384)]
pub fn kernel(cta: Cta, #[shared] smem: Smem, #[dynamic] memory: Memory, map: TensorMap<bf16, Rows>) {
    consume(cta, smem, memory, &map);
}
