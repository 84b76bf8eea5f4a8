//! Attention of one query per sequence (decode) with grouped queries, on tensor cores: keys and values lie in pages, and thread blocks
//! share the keys of a sequence.

use half::bf16;
use ptx::atomic::GlobalAtomics;
use ptx::global::{Global, GlobalScatter};
use ptx::group::{Cta, Warpgroup};
use ptx::math::{convert, ex2_ftz, fma, max};
use ptx::pipeline::{
    Consumer, MaxRegisters, PipelineMemory, Pipelines as _, StageOperands, WarpgroupBarriers,
};
use ptx::qualifier::n::{N64, N128};
use ptx::qualifier::{scope, sem, swizzle_mode};
use ptx::reduce::ReduceMemory;
use ptx::registers::{from_fn, unroll};
use ptx::shared::Element;
use ptx::tensor::{self, Box4, TensorMap};
use ptx::trap;
use ptx::wgmma::{Accumulator, Half, PerRow, RegisterMultiplicand, Tile, Wgmma, Zeros};

/// Elements of a head.
const SIZE: usize = 128;
/// Keys of a block, and the most heads of queries that share a head of keys: the rows of one product.
const BLOCK: usize = 64;
/// Stages of keys and of values, which are blocks.
const STAGES: usize = 6;
/// Threads of a CTA: a warpgroup that loads, and one that multiplies.
const THREADS: u32 = 256;
/// Before the first score. A finite number, so that no exponent is infinity minus infinity.
const LOWEST: f32 = -1e30;
/// 64 rows of half a head: heads of queries of one group, or tokens of one page.
type Rows = Box4<64, BLOCK, 1, 1, swizzle_mode::B128>;
type Stage<T> = Tile<T, Rows, { SIZE / 64 }>;

/// Returns the number of splits with which a launch is fast: for so many heads of keys in all sequences, of which the longest has
/// `blocks` blocks of 64 tokens, on a GPU that has room for so many CTAs.
pub fn splits(heads: u32, blocks: u32, room: u32) -> u32 {
    /// What the beginning and the end of a CTA take, in blocks.
    const ENDS: u64 = 2;
    let rounds = |splits: u32| (u64::from(heads) * u64::from(splits)).div_ceil(u64::from(room.max(1)));
    let time = |splits: &u32| rounds(*splits) * (u64::from(blocks.div_ceil(*splits)) + ENDS);
    (1..=blocks.clamp(1, 256)).min_by_key(time).unwrap_or(1)
}

ptx::shared_memory! {
    struct Smem { barriers: WarpgroupBarriers<1>, broadcast: ReduceMemory<u32> }
}

/// What a warpgroup has of a split after some of its blocks of keys.
struct Work<'p, T> {
    queries: StageOperands<'p, Stage<T>, 1>,
    of_keys: Consumer<'p, Stage<T>, STAGES>,
    wgmma: Wgmma<'p>,
    /// Of each row, the largest score, and the thread's sum of exponentials.
    largest: PerRow<f32>,
    exponentials: PerRow<f32>,
    /// The values, each times its exponential.
    sums: Accumulator<N128>,
}

impl<'p, T: Half + RegisterMultiplicand> Work<'p, T> {
    /// Adds the next block of keys, of which the first `hidden` do not count.
    #[inline(always)]
    fn block(self, warpgroup: &Warpgroup<'p, 1>, hidden: u32, scale: f32) -> Self {
        let (k, of_keys) = self.of_keys.operands(warpgroup);
        let (v, of_keys) = of_keys.operands(warpgroup);
        let of_block = (self.queries, k);
        let products = self.wgmma.start(warpgroup, Zeros::<N64>::new(), of_block, |scores, (queries, k)| {
            scores.mma(queries.tiles(), k.tiles())
        });
        let (wgmma, (mut scores, (queries, k))) = products.wait(warpgroup);
        k.release(warpgroup);
        if hidden > 0 {
            scores = scores.map_at(
                warpgroup,
                |[_, column], score| {
                    if column >= hidden { score } else { f32::NEG_INFINITY }
                },
            );
        }
        let largest = scores.fold_rows(max).zip(self.largest, max).reduce(warpgroup, max);
        let correction = self.largest.zip(largest, |before, now| ex2_ftz((before - now) * scale));
        let weights = scores
            .map_rows(largest.map(|x| x * -scale), |score, largest| ex2_ftz(fma(score, scale, largest)));
        let exponentials = self.exponentials.zip(correction, |sum, factor| sum * factor);
        let exponentials = exponentials.zip(weights.fold_rows(|x, y| x + y), |x, y| x + y);
        let sums = self.sums.map_rows(correction, |sum, factor| sum * factor);
        let products = wgmma.start(warpgroup, sums, (weights.pack::<T>(), v), |sums, (weights, v)| {
            sums.mma_registers(weights, v.tiles().transposed())
        });
        let (wgmma, (sums, (_, v))) = products.wait(warpgroup);
        v.release(warpgroup);
        Self { queries, of_keys, wgmma, largest, exponentials, sums }
    }
}

/// The results of the splits of one sequence and one head of keys, in memory that their CTAs share. A row has its sums of weighted
/// values, then the largest score times the scale, and the sum of its exponentials.
#[derive(Clone, Copy)]
struct Partials {
    memory: GlobalAtomics<f32, scope::Gpu>,
    pairs: GlobalAtomics<[f32; 2], scope::Gpu>,
    /// The number of the first split's first row, and the rows of a split.
    first: u32,
    rows: u32,
}

impl Partials {
    /// Returns the number of the first pair of a row.
    #[inline(always)]
    fn row(self, split: u32, row: u32) -> usize {
        (self.first + split * self.rows + row) as usize * (SIZE / 2 + 1)
    }

    /// Stores the rows of a split.
    #[inline(always)]
    fn store(
        self,
        warpgroup: &Warpgroup<'_, 1>,
        split: u32,
        sums: Accumulator<N128>,
        of_rows: [PerRow<f32>; 2],
    ) {
        unroll::<2>(|i| {
            of_rows[i].for_each(warpgroup, |row, value| {
                if row < self.rows
                    && let Some(word) = self.memory.get(2 * self.row(split, row) + SIZE + i)
                {
                    word.store(value, sem::Relaxed);
                }
            });
        });
        let mut left = 0.0;
        _ = sums.map_at(warpgroup, |[row, column], sum| {
            if column % 2 == 0 {
                left = sum;
            } else if row < self.rows
                && let Some(pair) = self.pairs.get(self.row(split, row) + column as usize / 2)
            {
                pair.store([left, sum], sem::Relaxed);
            }
            sum
        });
    }

    /// Returns pair `pair` of a row's values, of all splits together.
    #[inline(always)]
    fn combine(self, splits: u32, row: u32, pair: usize) -> [f32; 2] {
        /// Splits whose loads are in flight.
        const SPLITS: usize = 8;
        let load = |i| self.pairs.get(i).map_or([0.0; 2], |pair| pair.load(sem::Relaxed));
        let (mut largest, mut total, mut sums) = (LOWEST, 0.0_f32, [0.0_f32; 2]);
        let mut split = 0;
        while split < splits {
            let of_split = |i: usize, pair, other| {
                let split = split + i as u32;
                if split < splits { load(self.row(split, row) + pair) } else { other }
            };
            let of_rows: [[f32; 2]; SPLITS] = from_fn(|i| of_split(i, SIZE / 2, [f32::NEG_INFINITY, 0.0]));
            let values: [[f32; 2]; SPLITS] = from_fn(|i| of_split(i, pair, [0.0; 2]));
            let before = largest;
            unroll::<SPLITS>(|i| largest = max(largest, of_rows[i][0]));
            let correction = ex2_ftz(before - largest);
            total *= correction;
            sums = sums.map(|sum| sum * correction);
            unroll::<SPLITS>(|i| {
                let weight = ex2_ftz(of_rows[i][0] - largest);
                total = fma(weight, of_rows[i][1], total);
                unroll::<2>(|k| sums[k] = fma(weight, values[i][k], sums[k]));
            });
            split += SPLITS as u32;
        }
        sums.map(|sum| if total > 0.0 { sum / total } else { 0.0 })
    }
}

/// `o` ← softmax(`scale` · `q` · `k`ᵀ) · `v` for one query of each head of each sequence. `scale` is that of the scores by the logarithm
/// of 2. `shared` heads of `q`, 64 at most, share a head of `k` and `v`.
///
/// The dimensions of `q` are the elements of a head, the heads that share keys, the heads of keys, and the sequences; those of `k` and `v`
/// are the elements of a head, the tokens of a page, the heads, and the pages. A page has `blocks` blocks of 64 tokens. Sequence i has
/// `lengths[i]` tokens in the pages of row i of `table`, which has `pages` columns; without tokens, its result is zeros. `o` has sequences of heads of queries.
///
/// `partials` has 130 elements for each split of each head of `q`, and `counts` a 0 for each head of `k`, which is 0 again after the launch.
///
/// Launch: a grid of splits × heads of keys × sequences, best such that all CTAs run at a time, two per multiprocessor.
///
/// Technique: each CTA has a part of the keys of one head. The heads that share it are rows of one product, of which the other rows are
/// zeros: the memory takes longer. The last block of keys ends with the sequence, and begins with keys of the block before or with zeros,
/// so nothing beyond the sequence is loaded. The last CTA of a head combines the parts.
#[ptx::kernel(threads = THREADS, min_ctas = 2, any_grid, instances(<bf16>))]
pub fn attention_decode<T: Half + RegisterMultiplicand + Element>(
    cta: Cta,
    #[shared] smem: Smem,
    #[dynamic] memory: (PipelineMemory<Stage<T>, 1>, PipelineMemory<Stage<T>, STAGES>),
    q: TensorMap<T, Rows>,
    k: TensorMap<T, Rows>,
    v: TensorMap<T, Rows>,
    o: GlobalScatter<T>,
    table: Global<u32>,
    lengths: Global<u32>,
    partials: GlobalAtomics<f32, scope::Gpu>,
    counts: GlobalAtomics<u32, scope::Gpu>,
    shared: u32,
    blocks: u32,
    pages: u32,
    scale: f32,
) {
    tensor::prefetch_tensormap(&cta, &q);
    tensor::prefetch_tensormap(&cta, &k);
    tensor::prefetch_tensormap(&cta, &v);
    let ([split, head, sequence], [splits, heads, _]) = (cta.grid_position(), cta.grid_shape());
    let mut broadcast = smem.broadcast;
    let length = broadcast.broadcast(&cta, lengths.get(sequence as usize).unwrap_or(0));
    let group = sequence * heads + head;
    let (Some(pairs), Some(count)) = (partials.vectors::<2>(), counts.get(group as usize)) else { trap() };
    let of_group = Partials { memory: partials, pairs, first: group * splits * shared, rows: shared };
    // The blocks of keys of this split.
    let (block_count, blocks_of_page) = (length.div_ceil(BLOCK as u32), blocks.max(1));
    let bound = |split: u32| (u64::from(block_count) * u64::from(split) / u64::from(splits)) as u32;
    let (first, end) = (bound(split), bound(split + 1));
    // The last block of a sequence ends with it. Its first keys, so many, belong to the block before, or are beyond the page and zeros.
    let hidden = |block: u32| ((block + 1) * BLOCK as u32).saturating_sub(length);
    cta.finish(memory, |cta, pipelines| {
        let run = pipelines.run_warpgroups(
            cta,
            smem.barriers,
            MaxRegisters::<40, 232>,
            [(); 1],
            |thread, (mut of_queries, mut of_keys)| {
                let Some(queries) = q.at([0, 0, head as i32, sequence as i32]) else { trap() };
                of_queries = of_queries.load(thread, queries);
                for block in (first..end).rev() {
                    let page = block / blocks_of_page;
                    let entry = if page < pages {
                        table.get(sequence as usize * pages as usize + page as usize)
                    } else {
                        None
                    };
                    let Some(page) = entry else { trap() };
                    let token = (block % blocks_of_page * BLOCK as u32) as i32 - hidden(block) as i32;
                    let at = [0, token, head as i32, page as i32];
                    let (Some(k), Some(v)) = (k.at(at), v.at(at)) else { trap() };
                    of_keys = of_keys.load(thread, k).load(thread, v);
                }
                (of_queries, of_keys)
            },
            |warpgroup, (of_queries, of_keys), wgmma, _| {
                let (queries, of_queries) = of_queries.operands(warpgroup);
                let mut work = Work {
                    queries,
                    of_keys,
                    wgmma,
                    largest: PerRow::new(LOWEST),
                    exponentials: PerRow::new(0.0),
                    sums: Accumulator::zeros(),
                };
                if first < end {
                    work = work.block(warpgroup, hidden(end - 1), scale);
                    for _ in first + 1..end {
                        work = work.block(warpgroup, 0, scale);
                    }
                }
                work.queries.release(warpgroup);
                let largest = work.largest.map(|x| x * scale);
                let exponentials = work.exponentials.reduce(warpgroup, |x, y| x + y);
                of_group.store(warpgroup, split, work.sums, [largest, exponentials]);
                ((of_queries, work.of_keys), work.wgmma, ())
            },
        );
        let ((of_queries, of_keys), _) = run.end();

        // Orders the stores of all threads before the leader's release, and its acquire before their loads.
        cta.sync();
        let is_last = cta.is_leader() && count.fetch_inc(splits - 1, sem::AcqRel) == splits - 1;
        if cta.sync_or(is_last) {
            let (warp, lane) = (cta.warp_rank(), cta.warp().lane());
            // A warp has half a row at a time.
            let mut half = warp;
            while half < 2 * shared {
                let (row, pair) = (half / 2, (half % 2 * 32 + lane) as usize);
                let values = of_group.combine(splits, row, pair);
                let to = (group * shared + row) as usize * SIZE + 2 * pair;
                unroll::<2>(|i| _ = o.write(to + i, convert(values[i])));
                half += THREADS / 32;
            }
        }
        (of_queries, of_keys)
    });
}
