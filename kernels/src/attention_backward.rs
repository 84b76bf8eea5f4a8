//! The gradients of attention on tensor cores (`wgmma`): a CTA has a block of keys, and goes over the queries that see them.

use core::f32::consts::{LN_2, LOG2_E};

use half::bf16;
use ptx::atomic::GlobalAtomics;
use ptx::global::{Global, GlobalScatter, GlobalVectorsMut};
use ptx::group::{Cta, Warpgroup};
use ptx::math::{convert, ex2_ftz, fma};
use ptx::pipeline::{ExchangeMemory, MaxRegisters, PipelineMemory, Pipelines as _, WarpgroupBarriers};
use ptx::qualifier::n::{N64, N128};
use ptx::qualifier::{scope, sem, swizzle_mode};
use ptx::registers::{from_fn, unroll};
use ptx::shared::SharedArray;
use ptx::tensor::{self, Box2, Box4, StoreRing, TensorMap, TensorMapMut, TensorRowMut};
use ptx::trap;
use ptx::wgmma::{Accumulator, Half, Packed, RegisterMultiplicand, Tile, Zeros, column_place};

/// Elements of a head.
const SIZE: usize = 128;
/// Queries of a block.
const QUERIES: usize = 64;
/// Keys of a block.
const KEYS: usize = 128;
/// Panels of 64 elements of a head.
const PANELS: usize = SIZE / 64;
/// A box of a tensor of elements of a head, tokens, heads, and sequences: `R` tokens of one head.
type Rows<const R: usize> = Box4<64, R, 1, 1, swizzle_mode::B128>;
type Stage<T, const R: usize> = Tile<T, Rows<R>, PANELS>;
/// What a warpgroup stores at a time.
type Part = Rows<64>;
/// The buffers through which a warpgroup stores.
const BUFFERS: usize = 2;
/// What the warpgroups exchange: a row of keys for each query, 64 of each warpgroup.
type Shares = Box2<64, QUERIES, swizzle_mode::B128>;
/// Numbers of a block of queries: of each query the negative logarithm, to base 2, of the sum of its exponentials, and the product of
/// its gradient with its result, each in the order of [`column_place`].
const NUMBERS: usize = 2 * QUERIES;
/// Sums of a block of queries that a warpgroup adds to at a time, as vectors of four.
const VECTORS: usize = 64 * QUERIES / 4;

/// The number of blocks that such queries make up.
fn blocks_of(queries: u32) -> u32 {
    queries.div_ceil(QUERIES as u32)
}

/// What [`attention_backward`] needs of each query: `numbers` ← the negative logarithm of the sum of exponentials, to base 2, and the
/// sum of the products of the elements of `o` and `d_o`; `sums` ← 0.
///
/// `lse` has sequences of heads of queries. `strides` are the distances of tokens, heads and sequences in `o` and `d_o`, in vectors of
/// 16 bytes. `numbers` and `sums` have sequences of heads of blocks of 64 queries: of a block 128 numbers and 64 times 128 sums.
///
/// Launch: a 1-D grid of any size, 256 threads per CTA.
#[ptx::kernel(threads = 256, instances(<bf16>))]
pub fn attention_backward_prepare<T: Half>(
    cta: Cta,
    o: Global<T>,
    d_o: Global<T>,
    lse: Global<f32>,
    numbers: GlobalScatter<f32>,
    sums: GlobalVectorsMut<f32>,
    strides: [u32; 3],
    queries: u32,
    heads: u32,
    sequences: u32,
) {
    /// Lanes that have a vector each of a query.
    const LANES: u32 = SIZE as u32 / 8;
    for (_, vector) in sums.vectors(&cta).0 {
        vector.write([0.0; 4]);
    }
    let lanes = cta.warp().tile::<LANES>();
    // No divisor is 0 if there is a block.
    let (blocks, heads) = (blocks_of(queries).max(1), heads.max(1));
    let mut block = cta.grid_rank();
    while block < blocks * heads * sequences {
        let (head, y) = (block / blocks, block % blocks);
        let [of_token, of_head, of_sequence] = strides.map(|stride| stride as usize);
        let first = (head / heads) as usize * of_sequence + (head % heads) as usize * of_head;
        unroll::<{ QUERIES / 16 }>(|i| {
            let row = 16 * i as u32 + cta.thread_rank() / LANES;
            let query = y * QUERIES as u32 + row;
            let is_query = query < queries;
            let place = first + query as usize * of_token + lanes.thread_rank() as usize;
            let vector = |of: Global<T>| -> [f32; 8] {
                if is_query { convert(of.get_vector(place).unwrap_or_default()) } else { [0.0; 8] }
            };
            let (x, y) = (vector(o), vector(d_o));
            let mut sum = 0.0;
            unroll::<8>(|i| sum = fma(x[i], y[i], sum));
            let sum = lanes.reduce_add(sum);
            if lanes.thread_rank() == 0 {
                let lse = if is_query { lse.get((head * queries + query) as usize) } else { None };
                // A query that sees no key has no exponentials, and gives none to any key.
                let lse = lse.filter(|lse| *lse > -1e20).unwrap_or(f32::INFINITY);
                let place = block as usize * NUMBERS + column_place(row as usize);
                numbers.write(place, -lse * LOG2_E);
                numbers.write(place + QUERIES, sum);
            }
        });
        block += cta.grid_size();
    }
}

/// `dq` ← `scale` · `sums`, where `scale` is that of the scores by the logarithm of 2, and `sums` is what [`attention_backward`] has
/// added.
///
/// Launch: a 1-D grid of any size, 128 threads per CTA.
#[ptx::kernel(threads = 128, instances(<bf16>))]
pub fn attention_backward_finish<T: Half>(
    cta: Cta,
    #[dynamic] memory: SharedArray<T, { BUFFERS * Part::LEN }>,
    sums: Global<f32>,
    dq: TensorMapMut<T, Part>,
    queries: u32,
    heads: u32,
    scale: f32,
) {
    let mut boxes = dq.tiles(&cta);
    cta.finish(memory, |cta, out| {
        let mut out = out.into_store_ring::<{ Part::LEN }, BUFFERS>();
        // The thread's 8 queries, two of them, and its 16 elements of a head.
        let thread = cta.thread_rank() as usize;
        let (j, part, pair) = (thread / 16, thread / 4 % 4, thread % 4);
        while let Some(([x, y, head, sequence], to)) = boxes.next_tile() {
            let head = sequence as usize * heads as usize + head as usize;
            let block = (head * blocks_of(queries) as usize + y as usize) * PANELS + x as usize;
            let first = block * VECTORS + j * 128 + part * 32 + pair;
            let vectors: [[f32; 4]; 8] = from_fn(|i| sums.get_vector(first + 4 * i).unwrap_or_default());
            out.store(cta, to, |buffer| {
                let rows = buffer.as_2d::<64>().swizzled(Part::SWIZZLE);
                unroll::<4>(|i| {
                    let elements: [f32; 8] = from_fn(|k| vectors[k][i] * scale * LN_2);
                    _ = rows.set_vector([2 * part + i / 2, 8 * j + 2 * pair + i % 2], convert(elements));
                });
            });
        }
        out.end(cta)
    });
}

ptx::shared_memory! {
    struct Smem { barriers: WarpgroupBarriers<2> }
}

/// The numbers of queries and keys, of heads of queries, and of those that share a head of keys and values.
#[derive(Clone, Copy, Debug, ptx::Plain)]
#[repr(C)]
pub struct Extents {
    pub queries: u32,
    pub keys: u32,
    pub heads: u32,
    pub shared: u32,
}

/// Which queries see a key.
#[derive(Clone, Copy)]
struct Mask {
    queries: i32,
    keys: i32,
    causal: bool,
}

impl Mask {
    /// The number of blocks of queries, one at least.
    #[inline(always)]
    fn blocks(self) -> i32 {
        blocks_of(self.queries.cast_unsigned()).max(1).cast_signed()
    }

    /// The first block of queries that sees a key of block `y`, or the last one if none does. In causal attention, query i sees the keys
    /// up to i, or if there are more keys than queries, up to that number more.
    #[inline(always)]
    fn first(self, y: i32) -> i32 {
        if !self.causal {
            return 0;
        }
        let query = (y * KEYS as i32 + self.queries - self.keys).max(0);
        (query / QUERIES as i32).min(self.blocks() - 1)
    }

    /// Puts the lowest score in place of the scores of keys that a query does not see: a row is one of the warpgroup's keys of block `y`,
    /// a column a query of block `block`.
    #[inline(always)]
    fn apply(
        self,
        warpgroup: &Warpgroup<'_, 2>,
        scores: Accumulator<N64>,
        y: i32,
        block: i32,
    ) -> Accumulator<N64> {
        let first = y * KEYS as i32 + 64 * warpgroup.index() as i32;
        let keys = self.keys - first;
        // How far row 0 is before the last key that column 0 sees.
        let ahead = block * QUERIES as i32 + self.keys - self.queries - first;
        if keys >= 64 && (!self.causal || ahead >= 63) {
            return scores;
        }
        scores.map_at(warpgroup, |[row, column], score| {
            let (row, column) = (row as i32, column as i32);
            let seen = row < keys && (!self.causal || row <= ahead + column);
            if seen { score } else { f32::NEG_INFINITY }
        })
    }
}

/// `dk` and `dv` ← the gradients of `k` and `v` in [`attention`](crate::attention::attention), whose result has the gradient `d_o`;
/// `sums` ← `sums` + the gradient of `q` by `scale`. `scale` is that of the scores by the logarithm of 2.
///
/// The dimensions of the tensors are the elements of a head, the tokens, the heads and the sequences. [`attention_backward_prepare`]
/// computes `numbers` and the first `sums`, [`attention_backward_finish`] the gradient of `q`. With `CAUSAL`, query i sees the keys up to i, or
/// if there are more keys than queries, up to that number more.
///
/// Launch: a 1-D grid of any size, best a CTA per multiprocessor; dynamic shared memory for the stages.
///
/// Technique: each warpgroup has 64 keys, whose gradients stay in registers. It multiplies keys with queries, not queries with keys: so
/// the weights and their gradients are operands in registers. For the gradient of the queries, the warpgroups exchange the gradients of
/// the scores through shared memory, and each adds 64 elements of a head to sums in global memory. The products with the next queries
/// run meanwhile. Blocks of `group` heads are worked on at a time
/// ([`backward_heads_at_a_time`](crate::attention_plan::backward_heads_at_a_time)).
#[ptx::kernel(threads = 384, instances(<bf16, false>, <bf16, true>))]
pub fn attention_backward<T: Half + RegisterMultiplicand, const CAUSAL: bool>(
    cta: Cta,
    #[shared] smem: Smem,
    #[dynamic] memory: (
        PipelineMemory<Stage<T, KEYS>, 1>,
        PipelineMemory<Stage<T, KEYS>, 1>,
        PipelineMemory<(Stage<T, QUERIES>, [f32; NUMBERS]), 2>,
        PipelineMemory<Stage<T, QUERIES>, 2>,
        ExchangeMemory<Tile<T, Shares, 2>>,
        [SharedArray<T, { BUFFERS * Part::LEN }>; 2],
    ),
    q: TensorMap<T, Rows<QUERIES>>,
    k: TensorMap<T, Rows<KEYS>>,
    v: TensorMap<T, Rows<KEYS>>,
    d_o: TensorMap<T, Rows<QUERIES>>,
    numbers: Global<f32>,
    sums: GlobalAtomics<f32, scope::Gpu>,
    dk: TensorMapMut<T, Part>,
    dv: TensorMapMut<T, Part>,
    extents: Extents,
    scale: f32,
    group: u32,
) {
    let Extents { queries, keys, heads, shared } = extents;
    tensor::prefetch_tensormap(&cta, &q);
    tensor::prefetch_tensormap(&cta, &k);
    tensor::prefetch_tensormap(&cta, &v);
    tensor::prefetch_tensormap(&cta, &d_o);
    let mask = Mask { queries: queries.cast_signed(), keys: keys.cast_signed(), causal: CAUSAL };
    let blocks = mask.blocks();
    let shared = shared.max(1).cast_signed();
    // The first head of queries, in all sequences, of those that share a head.
    let first_head = |head: i32, sequence: i32| sequence * heads as i32 + head * shared;
    let numbers = numbers.tiles::<NUMBERS>().0;
    let (of_dk, of_dv) = (dk.blocks::<{ PANELS as u32 }, 2>(&cta, group), dv.blocks(&cta, group));
    let Some(mut of_both) = of_dk.zip(of_dv) else { trap() };
    let positions = of_both.positions();
    cta.finish(memory, |cta, (of_keys, of_values, of_queries, of_results, exchange, out)| {
        let run = (((of_keys, of_values), (of_queries, of_results)), exchange).run_warpgroups(
            cta,
            smem.barriers,
            MaxRegisters::<40, 232>,
            out,
            |thread, (((mut of_keys, mut of_values), (mut of_queries, mut of_results)), ())| {
                for [_, y, head, sequence] in positions {
                    of_keys = of_keys.load(thread, k.box_at([0, y, head, sequence]));
                    let first = mask.first(y);
                    for i in 0..shared {
                        let (of_head, number) = (head * shared + i, first_head(head, sequence) + i);
                        for block in first..blocks {
                            let Some(tile) = numbers.get((number * blocks + block) as usize) else { trap() };
                            let source = (q.box_at([0, block, of_head, sequence]), tile);
                            of_queries = of_queries.load(thread, source);
                            if i == 0 && block == first {
                                of_values = of_values.load(thread, v.box_at([0, y, head, sequence]));
                            }
                            of_results = of_results.load(thread, d_o.box_at([0, block, of_head, sequence]));
                        }
                    }
                }
                (((of_keys, of_values), (of_queries, of_results)), ())
            },
            |warpgroup,
             (((mut of_keys, mut of_values), (mut of_queries, mut of_results)), mut exchange),
             mut wgmma,
             out| {
                let mut out: StoreRing<'_, T, _, { Part::LEN }, BUFFERS, _> = out.into_store_ring();
                while let Some([_, y, head, sequence]) = of_both.positions().next() {
                    let first = mask.first(y);
                    let (k, next) = of_keys.operands(warpgroup);
                    of_keys = next;
                    let (q, next) = of_queries.operands(warpgroup);
                    of_queries = next;
                    let zeros = || Accumulator::<N128>::zeros().in_registers();
                    let mut of_block = (zeros(), zeros());
                    let mut scores = wgmma.start(warpgroup, Zeros::<N64>::new(), (k, q), |scores, (k, q)| {
                        scores.mma(k.tiles().of(warpgroup), q.tiles().0)
                    });
                    let (mut v, next) = of_values.operands(warpgroup);
                    of_values = next;
                    let (mut block, mut number) = (first, first_head(head, sequence) * blocks);
                    let mut left = shared * (blocks - first);
                    (wgmma, of_block) = loop {
                        let (dk, dv) = of_block;
                        // The weights, and the gradients of the scores.
                        let (d_o, next) = of_results.operands(warpgroup);
                        of_results = next;
                        let both = scores.start(warpgroup, Zeros::<N64>::new(), (v, d_o), |dp, (v, d_o)| {
                            dp.mma(v.tiles().of(warpgroup), d_o.tiles())
                        });
                        let (dp, (scores_now, (k, q))) = both.wait_oldest(warpgroup);
                        let numbers = q.tiles().1;
                        let p = mask.apply(warpgroup, scores_now, y, block).map_columns(
                            warpgroup,
                            |i| numbers.get_vector(i).unwrap_or_default(),
                            |score, number| ex2_ftz(fma(score, scale, number)),
                        );
                        // This wait stands between the exponentials and the wait for the products, behind which ptxas would move
                        // them, where none run.
                        left -= 1;
                        let next_q = if left > 0 {
                            let (next_q, next) = of_queries.operands(warpgroup);
                            of_queries = next;
                            Some(next_q)
                        } else {
                            None
                        };
                        let (idle, (dp, (v_now, d_o))) = dp.wait(warpgroup);
                        v = v_now;
                        let dp = dp
                            .map_columns(
                                warpgroup,
                                |i| numbers.get_vector(QUERIES / 4 + i).unwrap_or_default(),
                                |dp, number| dp - number,
                            )
                            .zip(&p, |x, p| x * p);
                        let ds = dp.pack::<T>();
                        let (p, old) = (p.pack::<T>(), p);
                        // Their products.
                        let of_dv = idle.start(warpgroup, dv, (p, d_o), |dv, (p, d_o)| {
                            dv.mma_registers(p, d_o.tiles().transposed())
                        });
                        let shares = exchange.fill(warpgroup, |to| {
                            ds.store_transposed::<Shares, _, { Shares::LEN }>(warpgroup, 0, to)
                        });
                        let both = of_dv.start(warpgroup, old.overwrite(), (shares, k), |dq, (shares, k)| {
                            dq.mma(k.tiles().transposed().of(warpgroup), shares.tiles())
                        });
                        let (dq, (dv, (_, d_o))) = both.wait_oldest(warpgroup);
                        d_o.release(warpgroup);
                        let both = dq.start(warpgroup, dk, (ds, q), |dk, (ds, q)| {
                            dk.mma_registers(ds, q.tiles().0.transposed())
                        });
                        let (of_dk, (dq, (shares, k))) = both.wait_oldest(warpgroup);
                        exchange = shares.release();
                        let chunk = (number + block).cast_unsigned() * PANELS as u32 + warpgroup.index();
                        let sums = sums.chunk::<{ 4 * VECTORS }>(chunk as usize);
                        if let Some(sums) = sums.and_then(GlobalAtomics::vectors::<4>) {
                            dq.for_each_four(warpgroup, |[_, column], four| {
                                let vector = column / 8 * 128 + warpgroup.thread_rank();
                                if let Some(sum) = sums.get(vector as usize) {
                                    sum.add(four, sem::Relaxed);
                                }
                            });
                        }
                        let Some(next_q) = next_q else {
                            k.release(warpgroup);
                            let (idle, (dk, (_, q))) = of_dk.wait(warpgroup);
                            q.release(warpgroup);
                            break (idle, (dk, dv));
                        };
                        let both = of_dk.start(warpgroup, dq.overwrite(), (k, next_q), |scores, (k, q)| {
                            scores.mma(k.tiles().of(warpgroup), q.tiles().0)
                        });
                        let (next_scores, (dk, (_, q))) = both.wait_oldest(warpgroup);
                        q.release(warpgroup);
                        scores = next_scores;
                        of_block = (dk, dv);
                        block += 1;
                        if block == blocks {
                            (block, number) = (first, number + blocks);
                        }
                    };
                    v.release(warpgroup);
                    let (of_dk, of_dv) = of_block;
                    let (of_dk, of_dv) = (of_dk.map(|x| x * scale * LN_2).pack::<T>(), of_dv.pack::<T>());
                    // Taken here, the blocks need no registers before.
                    let Some((_, [dk, dv])) = of_both.next_block() else { break };
                    let mut store = |values: Packed<T, N128>, mut boxes: TensorRowMut<T, Part, _, 4>| {
                        unroll::<PANELS>(|i| {
                            if let Some(to) = boxes.next_box() {
                                out.store(warpgroup, to, |buffer| {
                                    values.store::<Part, _, _>(warpgroup, [0, i], buffer)
                                });
                            }
                        });
                    };
                    store(of_dv, dv.of(warpgroup));
                    store(of_dk, dk.of(warpgroup));
                }
                ((((of_keys, of_values), (of_queries, of_results)), exchange), wgmma, out.end(warpgroup))
            },
        );
        let ((((of_keys, of_values), (of_queries, of_results)), exchange), out) = run.end();
        (of_keys, of_values, of_queries, of_results, exchange, out)
    });
}
