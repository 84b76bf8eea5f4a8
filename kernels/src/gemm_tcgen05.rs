//! Matrix product on tensor cores with tensor memory (`tcgen05`): bulk tensor copies fill stages, one thread multiplies, and a warpgroup
//! stores. For sm_100f and sm_110f: only the interpreter has run the kernel, no GPU.

use half::{bf16, f16};
use ptx::global::Global;
use ptx::group::Cta;
use ptx::math::convert;
use ptx::multimem::Fp8;
use ptx::pipeline::PipelineMemory;
use ptx::qualifier::n::{N128, N256};
use ptx::qualifier::{Columns, swizzle_mode, ty};
use ptx::registers::unroll;
use ptx::shared::{Element, SharedArray};
use ptx::tcgen05::{Tcgen05Multiplicand, TensorMemory, Tile};
use ptx::tensor::{self, Box2, TensorMap, TensorMapMut};

/// Eight-bit floats.
pub type E4m3 = Fp8<ty::E4m3>;
/// A box of `c`: what the warpgroup stores at a time.
type Part = Box2<64, 128, swizzle_mode::B128>;
/// `R` rows of `K` elements, which have 128 bytes, as a row of the swizzle.
type Rows<const K: usize, const R: usize> = Box2<K, R, swizzle_mode::B128>;
type Stage<T, const K: usize, const N: usize> = (Tile<T, Rows<K, 128>>, Tile<T, Rows<K, N>>);
/// The buffers through which the warpgroup stores.
const BUFFERS: usize = 2;

ptx::shared_memory! {
    struct Smem<N: Columns> { accumulators: TensorMemory<N, 2> }
}

/// `c` ← `scale_a` · `scale_b` · `a` · `b`ᵀ: `a` is m × k, `b` is n × k, `c` is m × n, all row-major. A scale is one number, or empty for 1.
///
/// Launch: a 1-D grid of any size, best a CTA per multiprocessor; dynamic shared memory for the stages.
///
/// Technique: a thread loads tiles of `a` and `b` ahead, another multiplies them into tensor memory, and a warpgroup rounds and stores
/// the sums. There are two accumulators: a block is stored while the products of the next one run. CTAs that work at the same time have
/// blocks of `group` rows of blocks.
#[ptx::kernel(
    threads = 256,
    instances(<bf16, bf16, N256, 4>, <bf16, bf16, N128, 6>, <f16, f16, N256, 4>, <E4m3, bf16, N256, 4>)
)]
pub fn gemm_tcgen05<T: Tcgen05Multiplicand, O: Element, N: Columns, const STAGES: usize>(
    cta: Cta,
    #[shared] smem: Smem<N>,
    #[dynamic] memory: (
        PipelineMemory<Stage<T, { 128 / size_of::<T>() }, { N::COUNT }>, STAGES>,
        SharedArray<O, { BUFFERS * Part::LEN }>,
    ),
    a: TensorMap<T, Rows<{ 128 / size_of::<T>() }, 128>>,
    b: TensorMap<T, Rows<{ 128 / size_of::<T>() }, { N::COUNT }>>,
    c: TensorMapMut<O, Part>,
    scale_a: Global<f32>,
    scale_b: Global<f32>,
    k: u32,
    group: u32,
) {
    const DEPTH: u32 = 128 / size_of::<T>() as u32;
    const PARTS: usize = N::COUNT / 64;
    tensor::prefetch_tensormap(&cta, &a);
    tensor::prefetch_tensormap(&cta, &b);
    tensor::prefetch_tensormap(&cta, &c);
    let scale = scale_a.get(0).unwrap_or(1.0) * scale_b.get(0).unwrap_or(1.0);
    let steps = k.div_ceil(DEPTH).max(1) as i32;
    let mut blocks = c.blocks::<{ PARTS as u32 }, 1>(&cta, group);
    let (positions, products) = (blocks.positions(), blocks.positions());
    cta.finish(memory, |cta, (pipeline, out)| {
        let run = smem.accumulators.run(
            cta,
            pipeline,
            out,
            |thread, mut producer| {
                for [x, y] in positions {
                    for step in 0..steps {
                        producer = producer.load(thread, (a.box_at([step, y]), b.box_at([step, x])));
                    }
                }
                producer
            },
            |thread, mut consumer, mut issuer| {
                for _ in products {
                    let (stage, next) = consumer.operands_of_one(thread);
                    consumer = next;
                    let (a, b) = stage.tiles();
                    let mut sums = issuer.start(thread, a, b);
                    stage.commit(thread);
                    for _ in 1..steps {
                        let (stage, next) = consumer.operands_of_one(thread);
                        consumer = next;
                        let (a, b) = stage.tiles();
                        sums = sums.mma(thread, a, b);
                        stage.commit(thread);
                    }
                    issuer = sums.commit(thread);
                }
                (consumer, issuer)
            },
            |warpgroup, mut accumulators, out| {
                let mut out = out.into_store_ring::<{ Part::LEN }, BUFFERS>();
                while let Some((_, block)) = blocks.next_block() {
                    let sums = accumulators.wait(warpgroup);
                    let mut boxes = block.of(warpgroup);
                    unroll::<PARTS>(|i| {
                        if let Some(to) = boxes.next_box()
                            && let Some(row) = sums.load::<64>(warpgroup, i)
                        {
                            out.store(warpgroup, to, |buffer| {
                                let buffer = buffer.as_2d::<64>().swizzled(swizzle_mode::B128);
                                let y = warpgroup.thread_rank() as usize;
                                unroll::<8>(|x| {
                                    if let Some(eight) = row.as_chunks::<8>().0.get(x) {
                                        buffer.set_vector([x, y], convert(eight.map(|sum| sum * scale)));
                                    }
                                });
                            });
                        }
                    });
                    accumulators = sums.release(warpgroup);
                }
                (accumulators, out.end(warpgroup))
            },
        );
        run.end()
    });
}
