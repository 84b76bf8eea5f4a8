//! Attention on tensor cores (`wgmma`): the scores of a block of keys are in flight while the values of the block before are added.

use core::f32::consts::LN_2;

use half::bf16;
use ptx::global::GlobalScatter;
use ptx::group::{Cta, Warpgroup};
use ptx::math::{ex2_ftz, fma, lg2, max};
use ptx::pipeline::{MaxRegisters, PipelineMemory, Pipelines as _, WarpgroupBarriers};
use ptx::qualifier::n::N128;
use ptx::qualifier::swizzle_mode;
use ptx::registers::unroll;
use ptx::shared::SharedArray;
use ptx::tensor::{self, Box4, StoreRing, TensorMap, TensorMapMut};
use ptx::wgmma::{Accumulator, Half, PerRow, RegisterMultiplicand, Tile, Zeros};

/// Elements of a head.
const SIZE: usize = 128;
/// Queries and keys of a block.
const BLOCK: usize = 128;
/// Panels of 64 elements of a head.
const PANELS: usize = SIZE / 64;
/// A box of a tensor of elements of a head, tokens, heads, and sequences: `R` tokens of one head.
type Rows<const R: usize> = Box4<64, R, 1, 1, swizzle_mode::B128>;
type Stage<T> = Tile<T, Rows<BLOCK>, PANELS>;
/// What a warpgroup stores at a time.
type Part = Rows<64>;
/// The buffers through which a warpgroup stores.
const BUFFERS: usize = 2;

ptx::shared_memory! {
    struct Smem { barriers: WarpgroupBarriers<2> }
}

/// Which keys a query sees.
#[derive(Clone, Copy)]
struct Mask {
    queries: i32,
    keys: i32,
    causal: bool,
}

impl Mask {
    /// The number of keys that a query sees, the first ones: in causal attention, the last query sees all.
    #[inline(always)]
    fn seen(self, query: i32) -> i32 {
        if self.causal { self.keys.min(query + 1 + self.keys - self.queries) } else { self.keys }
    }

    /// The number of blocks of keys for block `y` of queries, one at least.
    #[inline(always)]
    fn blocks(self, y: i32) -> i32 {
        let last = self.seen((y + 1) * BLOCK as i32 - 1);
        ((last + BLOCK as i32 - 1) / BLOCK as i32).max(1)
    }

    /// Puts the lowest score in place of the scores of keys that a query does not see, in block `block` of keys, for the warpgroup's
    /// queries of block `y`.
    #[inline(always)]
    fn apply(
        self,
        warpgroup: &Warpgroup<'_, 2>,
        scores: Accumulator<N128>,
        y: i32,
        block: i32,
    ) -> Accumulator<N128> {
        let first = y * BLOCK as i32 + 64 * warpgroup.index() as i32;
        let seen = self.seen(first) - block * BLOCK as i32;
        if seen >= BLOCK as i32 {
            return scores;
        }
        let most = self.keys - block * BLOCK as i32;
        scores.map_at(warpgroup, |[row, column], score| {
            let seen = if self.causal { most.min(seen + row as i32) } else { most };
            if (column as i32) < seen { score } else { f32::NEG_INFINITY }
        })
    }
}

/// The largest scores so far, and the thread's sums of exponentials.
struct Softmax {
    largest: PerRow<f32>,
    sums: PerRow<f32>,
}

impl Softmax {
    /// Before the first score. A finite number, so that no exponent is infinity minus infinity.
    #[inline(always)]
    fn new() -> Self {
        Self { largest: PerRow::new(-1e30), sums: PerRow::new(0.0) }
    }

    /// Returns the exponentials of the scores, and the factors that correct what was computed with the largest scores before.
    #[inline(always)]
    fn step<'p>(
        &mut self,
        warpgroup: &Warpgroup<'p, 2>,
        scores: Accumulator<N128>,
        scale: f32,
    ) -> (Accumulator<N128>, PerRow<f32>) {
        let largest = scores.fold_rows(max).zip(self.largest, max).reduce(warpgroup, max);
        let correction = self.largest.zip(largest, |before, now| ex2_ftz((before - now) * scale));
        let exponentials = scores
            .map_rows(largest.map(|x| x * -scale), |score, largest| ex2_ftz(fma(score, scale, largest)));
        self.largest = largest;
        self.sums = self.sums.zip(correction, |sum, factor| sum * factor);
        self.sums = self.sums.zip(exponentials.fold_rows(|x, y| x + y), |x, y| x + y);
        (exponentials, correction)
    }
}

/// `o` ← softmax(`scale` · `q` · `k`ᵀ) · `v` for each head of each sequence, and `lse` ← the logarithm of the sums of exponentials.
/// `scale` is that of the scores by the logarithm of 2. Heads of `q` share a head of `k` and `v`, as many as `shared` says.
///
/// The dimensions of the tensors are the elements of a head, the tokens, the heads and the sequences; `lse` has sequences of heads of
/// queries. With `CAUSAL`, query i sees the keys up to i, or if there are more keys than queries, up to that number more.
///
/// Launch: a 1-D grid of any size, best a CTA per multiprocessor; dynamic shared memory for the stages.
///
/// Technique: a thread loads queries and, in turn, keys and values. Each warpgroup has 64 queries of a block. The products with the next
/// keys are in flight before those with the values, and run during the exponentials. Blocks of `group` heads are worked on at a time.
#[ptx::kernel(threads = 384, instances(<bf16, false>, <bf16, true>))]
pub fn attention<T: Half + RegisterMultiplicand, const CAUSAL: bool>(
    cta: Cta,
    #[shared] smem: Smem,
    #[dynamic] memory: (
        PipelineMemory<Stage<T>, 2>,
        PipelineMemory<Stage<T>, 4>,
        [SharedArray<T, { BUFFERS * Part::LEN }>; 2],
    ),
    q: TensorMap<T, Rows<BLOCK>>,
    k: TensorMap<T, Rows<BLOCK>>,
    v: TensorMap<T, Rows<BLOCK>>,
    o: TensorMapMut<T, Part>,
    lse: GlobalScatter<f32>,
    queries: u32,
    keys: u32,
    heads: u32,
    shared: u32,
    scale: f32,
    group: u32,
) {
    tensor::prefetch_tensormap(&cta, &q);
    tensor::prefetch_tensormap(&cta, &k);
    tensor::prefetch_tensormap(&cta, &v);
    tensor::prefetch_tensormap(&cta, &o);
    let mask = Mask { queries: queries.cast_signed(), keys: keys.cast_signed(), causal: CAUSAL };
    // The head of keys and values.
    let of_head = |head: i32| (head.cast_unsigned() / shared.max(1)).cast_signed();
    let mut blocks = o.blocks::<{ PANELS as u32 }, 2>(&cta, group);
    let positions = blocks.positions();
    cta.finish(memory, |cta, (of_queries, of_keys, out)| {
        let run = (of_queries, of_keys).run_warpgroups(
            cta,
            smem.barriers,
            MaxRegisters::<40, 232>,
            out,
            |thread, (mut of_queries, mut of_keys)| {
                for [_, y, head, sequence] in positions {
                    of_queries = of_queries.load(thread, q.box_at([0, y, head, sequence]));
                    let (head, last) = (of_head(head), mask.blocks(y) - 1);
                    of_keys = of_keys.load(thread, k.box_at([0, last, head, sequence]));
                    for block in (0..last).rev() {
                        of_keys = of_keys.load(thread, k.box_at([0, block, head, sequence]));
                        of_keys = of_keys.load(thread, v.box_at([0, block + 1, head, sequence]));
                    }
                    of_keys = of_keys.load(thread, v.box_at([0, 0, head, sequence]));
                }
                (of_queries, of_keys)
            },
            |warpgroup, (mut of_queries, mut of_keys), mut wgmma, out| {
                let mut out: StoreRing<'_, T, _, { Part::LEN }, BUFFERS, _> = out.into_store_ring();
                while let Some(([_, y, head, sequence], block)) = blocks.next_block() {
                    let count = mask.blocks(y);
                    let (of_block, next_queries) = of_queries.operands(warpgroup);
                    of_queries = next_queries;
                    let (k, next) = of_keys.operands(warpgroup);
                    of_keys = next;
                    let scores =
                        wgmma.start(warpgroup, Zeros::<N128>::new(), (of_block, k), |scores, (q, k)| {
                            scores.mma(q.tiles().of(warpgroup), k.tiles())
                        });
                    let (idle, (scores, (mut of_block, k))) = scores.wait(warpgroup);
                    wgmma = idle;
                    k.release(warpgroup);
                    let mut softmax = Softmax::new();
                    let scores = mask.apply(warpgroup, scores, y, count - 1);
                    let (exponentials, _) = softmax.step(warpgroup, scores, scale);
                    let mut weights = exponentials.pack::<T>();
                    let mut sums = Accumulator::<N128>::zeros();
                    for block in (0..count - 1).rev() {
                        let (k, next) = of_keys.operands(warpgroup);
                        let scores =
                            wgmma.start(warpgroup, Zeros::<N128>::new(), (of_block, k), |scores, (q, k)| {
                                scores.mma(q.tiles().of(warpgroup), k.tiles())
                            });
                        let (v, next) = next.operands(warpgroup);
                        of_keys = next;
                        let both = scores.start(warpgroup, sums, (weights, v), |sums, (weights, v)| {
                            sums.mma_registers(weights, v.tiles().transposed())
                        });
                        let (products, (scores, (q, k))) = both.wait_oldest(warpgroup);
                        of_block = q;
                        k.release(warpgroup);
                        let scores = mask.apply(warpgroup, scores, y, block);
                        let (exponentials, correction) = softmax.step(warpgroup, scores, scale);
                        let (idle, (before, (_, v))) = products.wait(warpgroup);
                        wgmma = idle;
                        v.release(warpgroup);
                        sums = before.map_rows(correction, |sum, factor| sum * factor);
                        weights = exponentials.pack::<T>();
                    }
                    of_block.release(warpgroup);
                    let (v, next) = of_keys.operands(warpgroup);
                    of_keys = next;
                    let products = wgmma.start(warpgroup, sums, (weights, v), |sums, (weights, v)| {
                        sums.mma_registers(weights, v.tiles().transposed())
                    });
                    let whole = softmax.sums.reduce(warpgroup, |x, y| x + y);
                    let first = (sequence * heads as i32 + head) as usize * queries as usize;
                    let rows = y as u32 * BLOCK as u32 + 64 * warpgroup.index();
                    let logarithms = softmax.largest.zip(whole, |x, sum| (x * scale + lg2(sum)) * LN_2);
                    logarithms.for_each(warpgroup, |row, x| {
                        if rows + row < queries {
                            lse.write(first + (rows + row) as usize, x);
                        }
                    });
                    let (idle, (sums, (_, v))) = products.wait(warpgroup);
                    wgmma = idle;
                    v.release(warpgroup);
                    let values =
                        sums.map_rows(whole.map(|sum| if sum > 0.0 { 1.0 / sum } else { 0.0 }), |x, y| x * y);
                    let (values, mut boxes) = (values.pack::<T>(), block.of(warpgroup));
                    unroll::<PANELS>(|i| {
                        if let Some(to) = boxes.next_box() {
                            out.store(warpgroup, to, |buffer| {
                                values.store::<Part, _, _>(warpgroup, [0, i], buffer)
                            });
                        }
                    });
                }
                ((of_queries, of_keys), wgmma, out.end(warpgroup))
            },
        );
        let ((of_queries, of_keys), out) = run.end();
        (of_queries, of_keys, out)
    });
}
