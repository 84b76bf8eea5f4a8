//! Matrix product on tensor cores (`wgmma`): bulk tensor copies feed two warpgroups.

use half::bf16;
use ptx::group::{AfterSync, Cta};
use ptx::math::Convert;
use ptx::pipeline::{MaxRegisters, PipelineMemory, WarpgroupBarriers};
use ptx::qualifier::{n, swizzle_mode};
use ptx::registers::fold;
use ptx::shared::SharedArray;
use ptx::tensor::{self, Box2, TensorMap, TensorMapMut};
use ptx::wgmma::{Tile, Zeros};

type A = Box2<64, 128, swizzle_mode::B128>;
type B = Box2<64, 256, swizzle_mode::B128>;
type C = Box2<64, 64, swizzle_mode::B128>;
type Stages = PipelineMemory<(Tile<bf16, A>, Tile<bf16, B>), 4>;
type Out = SharedArray<bf16, { C::LEN }>;

ptx::shared_memory! {
    struct Smem { barriers: WarpgroupBarriers<1, 2> }
}

/// `c` ← `a` · `b`ᵀ: `a` is m × k, `b` is n × k, `c` is m × n, all row-major.
#[ptx::kernel(threads = 384)]
pub fn gemm(
    cta: Cta,
    #[shared] smem: Smem,
    #[dynamic] memory: (Stages, Out, Out),
    a: TensorMap<bf16, A>,
    b: TensorMap<bf16, B>,
    c: TensorMapMut<bf16, C>,
    k: u32,
) {
    let steps = k.div_ceil(64).max(1) as i32;
    let mut blocks = c.blocks::<4, 2, 16>(&cta);
    let positions = blocks.positions();
    cta.finish(memory, |cta, (pipeline, out0, out1)| {
        let run = pipeline.run_warpgroups(
            cta,
            smem.barriers,
            MaxRegisters::<40, 232>,
            [out0, out1],
            |thread, mut producer| {
                for [x, y] in positions {
                    for step in 0..steps {
                        producer = producer.load(thread, (a.box_at([step, y]), b.box_at([step, x])));
                    }
                }
                producer
            },
            |warpgroup, mut consumer, mut wgmma, out| {
                let mut out = AfterSync::ready(out);
                let mut last = None;
                while let Some((_, block)) = blocks.next_block() {
                    let boxes = block.of(warpgroup);
                    let (stage, next) = consumer.operands(warpgroup);
                    let first = wgmma.start(warpgroup, Zeros::<n::N256>::new(), stage, |sums, stage| {
                        let (a, b) = stage.tiles();
                        sums.mma(a.of(warpgroup), b)
                    });
                    let flight;
                    // Four steps, each with a part of the stores of the block before.
                    ((consumer, flight), out, last) = fold::<4, _>(((next, first), out, last), |((consumer, wgmma), out, mut last), i| {
                        let mut out = out;
                        if let Some((packed, boxes)) = last.take() {
                            let packed: ptx::wgmma::Packed<bf16, n::N256> = packed;
                            let mut boxes: ptx::tensor::TensorRowMut<bf16, C> = boxes;
                            if let Some(to) = boxes.next_box() {
                                let stores = out.sync(warpgroup).vector_stores();
                                packed.store::<C, _, _>(warpgroup, [0, i], &stores);
                                let stores = stores.to_async().sync(warpgroup);
                                out = tensor::store(warpgroup, stores, to).commit(warpgroup).wait_read(warpgroup);
                            }
                            last = Some((packed, boxes));
                        }
                        let state = if (i as i32) + 1 < steps {
                            let (stage, next) = consumer.operands(warpgroup);
                            let two = wgmma.add(warpgroup, stage, |sums, stage| {
                                let (a, b) = stage.tiles();
                                sums.mma(a.of(warpgroup), b)
                            });
                            let (wgmma, old) = two.wait_oldest(warpgroup);
                            old.release(warpgroup);
                            (next, wgmma)
                        } else {
                            (consumer, wgmma)
                        };
                        (state, out, last)
                    });
                    let mut flight = flight;
                    for _ in 5..steps {
                        let (stage, next) = consumer.operands(warpgroup);
                        consumer = next;
                        let two = flight.add(warpgroup, stage, |sums, stage| {
                            let (a, b) = stage.tiles();
                            sums.mma(a.of(warpgroup), b)
                        });
                        let old;
                        (flight, old) = two.wait_oldest(warpgroup);
                        old.release(warpgroup);
                    }
                    let (idle, (sums, stage)) = flight.wait(warpgroup);
                    stage.release(warpgroup);
                    wgmma = idle;
                    last = Some((sums.pack::<bf16>(), boxes));
                }
                if let Some((packed, mut boxes)) = last {
                    out = fold::<4, _>(out, |out, i| {
                        let Some(to) = boxes.next_box() else { return out };
                        let stores = out.sync(warpgroup).vector_stores();
                        packed.store::<C, _, _>(warpgroup, [0, i], &stores);
                        let stores = stores.to_async().sync(warpgroup);
                        tensor::store(warpgroup, stores, to).commit(warpgroup).wait_read(warpgroup)
                    });
                }
                (consumer, wgmma, out.end())
            },
        );
        let (pipeline, [out0, out1]) = run.end();
        (pipeline, out0, out1)
    });
}
