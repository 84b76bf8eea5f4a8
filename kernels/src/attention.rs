//! Attention on tensor cores (`wgmma`): the scores of a block of keys are in flight while the values of the block before are added.

use core::f32::consts::LN_2;
use core::mem::replace;

use half::{bf16, f16};
use ptx::global::GlobalScatter;
use ptx::group::{Cta, Warpgroup};
use ptx::math::{lg2, max, rcp_ftz};
use ptx::pipeline::{
    Consumer, MaxRegisters, PipelineMemory, Pipelines as _, StageOperands, WarpgroupBarriers,
};
use ptx::qualifier::n::{N64, N128, N256};
use ptx::qualifier::{Columns, swizzle_mode};
use ptx::registers::unroll;
use ptx::shared::SharedArray;
use ptx::tensor::{self, Box4, StoreRing, TensorBlockMut, TensorMap, TensorMapMut};
use ptx::wgmma::{Accumulator, Half, Packed, PerRow, RegisterMultiplicand, Tile, Wgmma, Zeros};

use crate::softmax::Softmax;

/// A box of a tensor of elements of a head, tokens, heads, and sequences: `R` tokens of one head.
type Rows<const R: usize> = Box4<64, R, 1, 1, swizzle_mode::B128>;
/// `R` tokens of a head of `PANELS` · 64 elements.
type Stage<T, const R: usize, const PANELS: usize> = Tile<T, Rows<R>, PANELS>;
/// What a warpgroup stores at a time.
type Part = Rows<64>;
/// The buffers through which a warpgroup stores.
const BUFFERS: usize = 2;

ptx::shared_memory! {
    struct Smem<const WARPGROUPS: u32> { barriers: WarpgroupBarriers<WARPGROUPS> }
}

/// Which keys a query sees. A block has `R` queries or `C` keys.
#[derive(Clone, Copy)]
struct Mask<const R: usize, const C: usize> {
    queries: i32,
    keys: i32,
    causal: bool,
}

impl<const R: usize, const C: usize> Mask<R, C> {
    /// The number of keys that a query sees, the first ones: in causal attention, the last query sees all.
    #[inline(always)]
    fn seen(self, query: i32) -> i32 {
        if self.causal { self.keys.min(query + 1 + self.keys - self.queries) } else { self.keys }
    }

    /// The number of blocks of keys for block `y` of queries, one at least.
    #[inline(always)]
    fn blocks(self, y: i32) -> i32 {
        let last = self.seen((y + 1) * R as i32 - 1);
        ((last + C as i32 - 1) / C as i32).max(1)
    }

    /// Puts the lowest score in place of the scores of keys that a query does not see, in block `block` of keys, for the warpgroup's
    /// queries of block `y`.
    #[inline(always)]
    fn apply<K: Columns, const WARPGROUPS: u32>(
        self,
        warpgroup: &Warpgroup<'_, WARPGROUPS>,
        scores: Accumulator<K>,
        y: i32,
        block: i32,
    ) -> Accumulator<K> {
        let first = y * R as i32 + 64 * warpgroup.index() as i32;
        let seen = self.seen(first) - block * C as i32;
        if seen >= C as i32 {
            return scores;
        }
        let most = self.keys - block * C as i32;
        scores.map_at(warpgroup, |[row, column], score| {
            let seen = if self.causal { most.min(seen + row as i32) } else { most };
            if (column as i32) < seen { score } else { f32::NEG_INFINITY }
        })
    }
}

/// The exponent of the largest weight. Until it grows above, the sums are not corrected: most blocks of keys have no such score, and
/// floats lose no precision by a common factor of a row.
const MOST_GROWTH: f32 = 8.0;

/// Adds a block of scores. Returns their exponentials, and the factors of what was computed with other ones ([`Softmax::step`]).
#[inline(always)]
fn add_scores<'p, K: Columns, const WARPGROUPS: u32>(
    softmax: &mut Softmax,
    warpgroup: &Warpgroup<'p, WARPGROUPS>,
    scores: Accumulator<K>,
    scale: f32,
) -> (Accumulator<K>, PerRow<f32>) {
    let largest = scores.fold_rows(max).reduce(warpgroup, max);
    let largest = largest
        .zip(softmax.largest, |now, before| if (now - before) * scale > MOST_GROWTH { now } else { before });
    softmax.step(scores, largest, scale)
}

/// Multiplies the sums of each row by its factor, unless all factors of the warp are 1.
#[inline(always)]
fn corrected<'p, N: Columns, const WARPGROUPS: u32>(
    warpgroup: &Warpgroup<'p, WARPGROUPS>,
    sums: Accumulator<N>,
    factors: PerRow<f32>,
) -> Accumulator<N> {
    if warpgroup.warp().any(factors.any(|factor| factor != 1.0)) {
        sums.map_rows(factors, |sum, factor| sum * factor)
    } else {
        sums
    }
}

/// What a warpgroup has between two steps.
struct Step<
    'p,
    T,
    N: Columns,
    K: Columns,
    const R: usize,
    const C: usize,
    const PANELS: usize,
    const AHEAD: usize,
    const STAGES: usize,
> {
    wgmma: Wgmma<'p>,
    queries: StageOperands<'p, Stage<T, R, PANELS>, AHEAD>,
    /// The next keys.
    keys: StageOperands<'p, Stage<T, C, PANELS>, STAGES>,
    of_keys: Consumer<'p, Stage<T, C, PANELS>, STAGES>,
    softmax: Softmax,
    /// The weights of the keys before, whose values are next.
    weights: Packed<T, K>,
    sums: Accumulator<N>,
}

impl<
    'p,
    T: Half + RegisterMultiplicand,
    N: Columns,
    K: Columns,
    const R: usize,
    const C: usize,
    const PANELS: usize,
    const AHEAD: usize,
    const STAGES: usize,
> Step<'p, T, N, K, R, C, PANELS, AHEAD, STAGES>
{
    /// Multiplies the queries with the keys, and meanwhile the weights with their values. `scores_of` masks the scores. Returns the next
    /// step, and the factors of the sums ([`Softmax::step`]).
    #[inline(always)]
    fn multiply<const WARPGROUPS: u32>(
        self,
        warpgroup: &Warpgroup<'p, WARPGROUPS>,
        scale: f32,
        scores_of: impl FnOnce(Accumulator<K>) -> Accumulator<K>,
    ) -> (Self, PerRow<f32>) {
        let Step { wgmma, queries, keys, of_keys, mut softmax, weights, sums } = self;
        let scores = wgmma.start(warpgroup, Zeros::<K>::new(), (queries, keys), |scores, (q, k)| {
            scores.mma(q.tiles().of(warpgroup), k.tiles())
        });
        let (values, of_keys) = of_keys.operands(warpgroup);
        let both = scores.start(warpgroup, sums, (weights, values), |sums, (weights, v)| {
            sums.mma_registers(weights, v.tiles().transposed())
        });
        let (products, (scores, (queries, keys))) = both.wait_oldest(warpgroup);
        keys.release(warpgroup);
        let (exponentials, factors) = add_scores(&mut softmax, warpgroup, scores_of(scores), scale);
        // Before the wait for the products: ptxas moves arithmetic across that one, and none across this loop.
        let (keys, of_keys) = of_keys.operands(warpgroup);
        let (wgmma, (sums, (_, values))) = products.wait(warpgroup);
        values.release(warpgroup);
        let weights = exponentials.pack::<T>();
        (Step { wgmma, queries, keys, of_keys, softmax, weights, sums }, factors)
    }
}

/// The stages of queries of heads of `size` elements: with a second one, larger heads would leave too little room for keys.
const fn ahead(size: usize) -> usize {
    if size > 128 { 1 } else { 2 }
}

/// `o` ← softmax(`scale` · `q` · `k`ᵀ) · `v` for each head of each sequence, and `lse` ← the logarithm of the sums of exponentials.
/// `scale` is that of the scores by the logarithm of 2. Heads of `q` share a head of `k` and `v`, as many as `shared` says.
///
/// The dimensions of the tensors are the elements of a head, of which there are `N`, the tokens, the heads and the sequences; `lse` has
/// sequences of heads of queries. With `CAUSAL`, query i sees the keys up to i, or if there are more keys than queries, up to that number
/// more.
///
/// Launch: a 1-D grid of any size, best a CTA per multiprocessor; dynamic shared memory for the stages.
///
/// Technique: a thread loads queries and, in turn, keys and values, in blocks of `K`. Each of `W` warpgroups has 64 queries of a block.
/// The products with the next keys are in flight before those with the values, also where the next keys are those of the next block of
/// queries. The products with the values run during the exponentials. Blocks of `group` heads are worked on at a time
/// ([`heads_at_a_time`](crate::attention_plan::heads_at_a_time)).
#[ptx::kernel(
    threads = 128 * (W as u32 + 1),
    instances(
        <bf16, N128, N128, 2, 4, false>,
        <bf16, N128, N128, 2, 4, true>,
        <f16, N128, N128, 2, 4, false>,
        <f16, N128, N128, 2, 4, true>,
        <bf16, N64, N128, 3, 6, false>,
        <bf16, N64, N128, 3, 6, true>,
        <bf16, N256, N64, 2, 4, false>,
        <bf16, N256, N64, 2, 4, true>
    )
)]
pub fn attention<
    T: Half + RegisterMultiplicand,
    N: Columns,
    K: Columns,
    const W: usize,
    const STAGES: usize,
    const CAUSAL: bool,
>(
    cta: Cta,
    #[shared] smem: Smem<{ W as u32 }>,
    #[dynamic] memory: (
        PipelineMemory<Stage<T, { 64 * W }, { N::COUNT / 64 }>, { ahead(N::COUNT) }>,
        PipelineMemory<Stage<T, { K::COUNT }, { N::COUNT / 64 }>, STAGES>,
        [SharedArray<T, { BUFFERS * Part::LEN }>; W],
    ),
    q: TensorMap<T, Rows<{ 64 * W }>>,
    k: TensorMap<T, Rows<{ K::COUNT }>>,
    v: TensorMap<T, Rows<{ K::COUNT }>>,
    o: TensorMapMut<T, Part>,
    lse: GlobalScatter<f32>,
    queries: u32,
    keys: u32,
    heads: u32,
    shared: u32,
    scale: f32,
    group: u32,
) {
    const PANELS: usize = N::COUNT / 64;
    const BLOCK: usize = 64 * W;
    const AHEAD: usize = ahead(N::COUNT);
    /// A thread that produces has what those that consume leave.
    const REGISTERS: [u32; 2] = if W == 3 { [32, 160] } else { [40, 232] };
    tensor::prefetch_tensormap(&cta, &q);
    tensor::prefetch_tensormap(&cta, &k);
    tensor::prefetch_tensormap(&cta, &v);
    tensor::prefetch_tensormap(&cta, &o);
    let mask = Mask::<BLOCK, { K::COUNT }> {
        queries: queries.cast_signed(),
        keys: keys.cast_signed(),
        causal: CAUSAL,
    };
    // The head of keys and values.
    let of_head = |head: i32| (head.cast_unsigned() / shared.max(1)).cast_signed();
    let mut blocks = o.blocks::<{ PANELS as u32 }, { W as u32 }>(&cta, group);
    let positions = blocks.positions();
    cta.finish(memory, |cta, (of_queries, of_keys, out)| {
        let run = (of_queries, of_keys).run_warpgroups(
            cta,
            smem.barriers,
            MaxRegisters::<{ REGISTERS[0] }, { REGISTERS[1] }>,
            out,
            |thread, (mut of_queries, mut of_keys)| {
                // The values of a block of queries follow the first keys of the next block.
                let mut before: Option<[i32; 2]> = None;
                for [_, y, head, sequence] in positions {
                    let of_block = [0, y, head, sequence];
                    if AHEAD > 1 {
                        of_queries = of_queries.load(thread, q.box_at(of_block));
                    }
                    let (head, last) = (of_head(head), mask.blocks(y) - 1);
                    of_keys = of_keys.load(thread, k.box_at([0, last, head, sequence]));
                    if let Some([head, sequence]) = before {
                        of_keys = of_keys.load(thread, v.box_at([0, 0, head, sequence]));
                    }
                    // Warpgroups wait for the next keys before they release the queries.
                    if AHEAD == 1 {
                        of_queries = of_queries.load(thread, q.box_at(of_block));
                    }
                    for block in (0..last).rev() {
                        of_keys = of_keys.load(thread, k.box_at([0, block, head, sequence]));
                        of_keys = of_keys.load(thread, v.box_at([0, block + 1, head, sequence]));
                    }
                    before = Some([head, sequence]);
                }
                if let Some([head, sequence]) = before {
                    // No query sees these keys: a step always finds the next ones.
                    of_keys = of_keys.load(thread, k.box_at([0, 0, head, sequence]));
                    of_keys = of_keys.load(thread, v.box_at([0, 0, head, sequence]));
                }
                (of_queries, of_keys)
            },
            |warpgroup, (mut of_queries, of_keys), wgmma, out| {
                let mut out: StoreRing<'_, T, _, { Part::LEN }, BUFFERS, _> = out.into_store_ring();
                let store = |out: &mut StoreRing<'_, T, _, { Part::LEN }, BUFFERS, _>,
                             [_, y, head, sequence]: [i32; 4],
                             output: TensorBlockMut<T, Part, { PANELS as u32 }, { W as u32 }, 4>,
                             softmax: Softmax,
                             sums: Accumulator<N>| {
                    let whole = softmax.sums.reduce(warpgroup, |x, y| x + y);
                    let first = (sequence * heads as i32 + head) as usize * queries as usize;
                    let rows = y as u32 * BLOCK as u32 + 64 * warpgroup.index();
                    let logarithms = softmax.largest.zip(whole, |x, sum| (x * scale + lg2(sum)) * LN_2);
                    logarithms.for_each(warpgroup, |row, x| {
                        if rows + row < queries {
                            lse.write(first + (rows + row) as usize, x);
                        }
                    });
                    let inverse = whole.map(|sum| if sum > 0.0 { rcp_ftz(sum) } else { 0.0 });
                    let values = sums.map_rows(inverse, |x, y| x * y).pack::<T>();
                    let mut boxes = output.of(warpgroup);
                    unroll::<PANELS>(|i| {
                        if let Some(to) = boxes.next_box() {
                            out.store(warpgroup, to, |buffer| {
                                values.store::<Part, _, _>(warpgroup, [0, i], buffer)
                            });
                        }
                    });
                };
                let Some((mut position, mut output)) = blocks.next_block() else {
                    return ((of_queries, of_keys), wgmma, out.end(warpgroup));
                };
                let mut last = mask.blocks(position[1]) - 1;
                let (queries, next) = of_queries.operands(warpgroup);
                of_queries = next;
                let (keys, of_keys) = of_keys.operands(warpgroup);
                let scores = wgmma.start(warpgroup, Zeros::<K>::new(), (queries, keys), |scores, (q, k)| {
                    scores.mma(q.tiles().of(warpgroup), k.tiles())
                });
                let (wgmma, (scores, (queries, keys))) = scores.wait(warpgroup);
                keys.release(warpgroup);
                let (keys, of_keys) = of_keys.operands(warpgroup);
                let mut softmax = Softmax::new();
                let scores = mask.apply(warpgroup, scores, position[1], last);
                let weights = add_scores(&mut softmax, warpgroup, scores, scale).0.pack::<T>();
                let sums = Accumulator::zeros();
                let mut step = Step { wgmma, queries, keys, of_keys, softmax, weights, sums };
                loop {
                    for block in (0..last).rev() {
                        let factors;
                        (step, factors) = step.multiply(warpgroup, scale, |scores| {
                            mask.apply(warpgroup, scores, position[1], block)
                        });
                        step.sums = corrected(warpgroup, step.sums, factors);
                    }
                    step.queries.release(warpgroup);
                    let Some((next_position, next_output)) = blocks.next_block() else { break };
                    (step.queries, of_queries) = of_queries.operands(warpgroup);
                    let softmax = replace(&mut step.softmax, Softmax::new());
                    last = mask.blocks(next_position[1]) - 1;
                    (step, _) = step.multiply(warpgroup, scale, |scores| {
                        mask.apply(warpgroup, scores, next_position[1], last)
                    });
                    store(&mut out, position, output, softmax, step.sums);
                    (position, output) = (next_position, next_output);
                    step.sums = Accumulator::zeros();
                }
                let Step { wgmma, keys, of_keys, softmax, weights, sums, .. } = step;
                keys.release(warpgroup);
                let (values, of_keys) = of_keys.operands(warpgroup);
                let products = wgmma.start(warpgroup, sums, (weights, values), |sums, (weights, v)| {
                    sums.mma_registers(weights, v.tiles().transposed())
                });
                let (wgmma, (sums, (_, values))) = products.wait(warpgroup);
                values.release(warpgroup);
                store(&mut out, position, output, softmax, sums);
                ((of_queries, of_keys), wgmma, out.end(warpgroup))
            },
        );
        let ((of_queries, of_keys), out) = run.end();
        (of_queries, of_keys, out)
    });
}
