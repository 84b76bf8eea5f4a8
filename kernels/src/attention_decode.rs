//! Attention of one query per sequence (decode) with grouped queries, on tensor cores: keys and values lie in pages, and thread blocks
//! share the keys of a sequence.

use half::bf16;
use ptx::atomic::GlobalAtomics;
use ptx::global::{Global, GlobalMatrix, GlobalScatter};
use ptx::group::{Cta, Warpgroup};
use ptx::math::{convert, ex2_ftz, fma, max};
use ptx::pipeline::{MaxRegisters, PipelineMemory, Pipelines as _, WarpgroupBarriers};
use ptx::qualifier::n::{N64, N128};
use ptx::qualifier::{scope, sem, swizzle_mode};
use ptx::reduce::ReduceMemory;
use ptx::registers::{from_fn, unroll};
use ptx::shared::Element;
use ptx::tensor::{self, Box4, TensorMap};
use ptx::trap;
use ptx::wgmma::{Accumulator, Half, PerRow, RegisterMultiplicand, Tile, Zeros};

/// Elements of a head.
const SIZE: usize = 128;
/// Keys of a block, and the most heads of queries that share a head of keys: the rows of one product.
const BLOCK: usize = 64;
/// Threads of a CTA: a warpgroup that loads, and one that multiplies.
const THREADS: u32 = 256;
/// Before the first score. A finite number, so that no exponent is infinity minus infinity.
const LOWEST: f32 = -1e30;
/// 64 rows of half a head: heads of queries of one group, or tokens of one page.
type Rows = Box4<64, BLOCK, 1, 1, swizzle_mode::B128>;
type Stage<T> = Tile<T, Rows, { SIZE / 64 }>;

ptx::shared_memory! {
    struct Smem { barriers: WarpgroupBarriers<1>, broadcast: ReduceMemory<u32> }
}

/// The largest scores so far, and the thread's sums of exponentials.
struct Softmax {
    largest: PerRow<f32>,
    sums: PerRow<f32>,
}

impl Softmax {
    #[inline(always)]
    fn new() -> Self {
        Self { largest: PerRow::new(LOWEST), sums: PerRow::new(0.0) }
    }

    /// Returns the exponentials of the scores, and the factors that correct what was computed with the largest scores before.
    #[inline(always)]
    fn step<'p>(
        &mut self,
        warpgroup: &Warpgroup<'p, 1>,
        scores: Accumulator<N64>,
        scale: f32,
    ) -> (Accumulator<N64>, PerRow<f32>) {
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

/// The results of the splits of one sequence and one head of keys, in memory that their CTAs share. A row has its sums of weighted
/// values, then the largest score times the scale, and the sum of its exponentials.
#[derive(Clone, Copy)]
struct Partials {
    memory: GlobalAtomics<f32, scope::Gpu>,
    pairs: GlobalAtomics<[f32; 2], scope::Gpu>,
    /// The number of the first split's first row, and the rows of a split.
    first: usize,
    rows: u32,
}

impl Partials {
    /// Returns the number of the first pair of a row.
    #[inline(always)]
    fn row(self, split: u32, row: u32) -> usize {
        (self.first + (split * self.rows + row) as usize) * (SIZE / 2 + 1)
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
        unroll::<2>(|i| {
            of_rows[i].for_each(warpgroup, |row, value| {
                if row < self.rows
                    && let Some(word) = self.memory.get(2 * self.row(split, row) + SIZE + i)
                {
                    word.store(value, sem::Relaxed);
                }
            });
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
/// `lengths[i]` tokens in the pages `table[i]`; without tokens, its result is zeros. `o` has sequences of heads of queries.
///
/// `partials` has 130 elements for each split of each head of `q`, and `counts` a 0 for each head of `k`, which is 0 again after the launch.
///
/// Launch: a grid of splits × heads of keys × sequences, best such that all CTAs run at a time, two per multiprocessor.
///
/// Technique: each CTA has a part of the keys of one head. The heads that share it are rows of one product, of which the other rows are
/// zeros: the memory takes longer. The last block of keys ends with the sequence, and begins with keys of the block before or with zeros,
/// so nothing beyond the sequence is loaded. The last CTA of a head combines the parts.
#[ptx::kernel(threads = THREADS, min_ctas = 2, instances(<bf16>))]
pub fn attention_decode<T: Half + RegisterMultiplicand + Element>(
    cta: Cta,
    #[shared] smem: Smem,
    #[dynamic] memory: (PipelineMemory<Stage<T>, 1>, PipelineMemory<Stage<T>, 6>),
    q: TensorMap<T, Rows>,
    k: TensorMap<T, Rows>,
    v: TensorMap<T, Rows>,
    o: GlobalScatter<T>,
    table: GlobalMatrix<u32>,
    lengths: Global<u32>,
    partials: GlobalAtomics<f32, scope::Gpu>,
    counts: GlobalAtomics<u32, scope::Gpu>,
    shared: u32,
    blocks: u32,
    scale: f32,
) {
    tensor::prefetch_tensormap(&cta, &q);
    tensor::prefetch_tensormap(&cta, &k);
    tensor::prefetch_tensormap(&cta, &v);
    let ([split, head, sequence], [splits, heads, _]) = (cta.grid_position(), cta.grid_shape());
    let mut broadcast = smem.broadcast;
    let length = broadcast.broadcast(&cta, lengths.get(sequence as usize).unwrap_or(0));
    let group = (sequence * heads + head) as usize;
    let (Some(pages), Some(pairs), Some(count)) =
        (table.row(sequence as usize), partials.vectors::<2>(), counts.get(group))
    else {
        trap()
    };
    let of_group = Partials {
        memory: partials,
        pairs,
        first: group * splits as usize * shared as usize,
        rows: shared,
    };
    // The blocks of keys of this split.
    let (block_count, blocks_of_page) = (length.div_ceil(BLOCK as u32), blocks.max(1));
    let bound = |split: u32| (u64::from(block_count) * u64::from(split) / u64::from(splits)) as u32;
    let (first, end) = (bound(split), bound(split + 1));
    // The columns of a block that precede its keys: those of the last block, which ends with the sequence.
    let before = |block: u32| ((block + 1) * BLOCK as u32).saturating_sub(length);
    cta.finish(memory, |cta, pipelines| {
        let run = pipelines.run_warpgroups(
            cta,
            smem.barriers,
            MaxRegisters::<40, 232>,
            [(); 1],
            |thread, (mut of_queries, mut of_keys)| {
                let Some(queries) = q.at([0, 0, head as i32, sequence as i32]) else { trap() };
                of_queries = of_queries.load(thread, queries);
                for block in first..end {
                    let Some(page) = pages.get((block / blocks_of_page) as usize) else { trap() };
                    let token = (block % blocks_of_page * BLOCK as u32) as i32 - before(block) as i32;
                    let at = [0, token, head as i32, page as i32];
                    let (Some(k), Some(v)) = (k.at(at), v.at(at)) else { trap() };
                    of_keys = of_keys.load(thread, k).load(thread, v);
                }
                (of_queries, of_keys)
            },
            |warpgroup, (of_queries, mut of_keys), mut wgmma, _| {
                let (mut queries, of_queries) = of_queries.operands(warpgroup);
                let mut softmax = Softmax::new();
                let mut sums = Accumulator::<N128>::zeros();
                for block in first..end {
                    let (k, next) = of_keys.operands(warpgroup);
                    let (v, next) = next.operands(warpgroup);
                    of_keys = next;
                    let products = wgmma.start(
                        warpgroup,
                        Zeros::<N64>::new(),
                        (queries, k),
                        |scores, (queries, k)| scores.mma(queries.tiles(), k.tiles()),
                    );
                    let (idle, (mut scores, (read, k))) = products.wait(warpgroup);
                    queries = read;
                    k.release(warpgroup);
                    let before = before(block);
                    if before > 0 {
                        scores = scores.map_at(warpgroup, |[_, column], score| {
                            if column >= before { score } else { f32::NEG_INFINITY }
                        });
                    }
                    let (exponentials, correction) = softmax.step(warpgroup, scores, scale);
                    sums = sums.map_rows(correction, |sum, factor| sum * factor);
                    let weights = exponentials.pack::<T>();
                    let products = idle.start(warpgroup, sums, (weights, v), |sums, (weights, v)| {
                        sums.mma_registers(weights, v.tiles().transposed())
                    });
                    let v;
                    (wgmma, (sums, (_, v))) = products.wait(warpgroup);
                    v.release(warpgroup);
                }
                queries.release(warpgroup);
                let total = softmax.sums.reduce(warpgroup, |x, y| x + y);
                let largest = softmax.largest.map(|x| x * scale);
                of_group.store(warpgroup, split, sums, [largest, total]);
                ((of_queries, of_keys), wgmma, ())
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
                let to = (group * shared as usize + row as usize) * SIZE + 2 * pair;
                unroll::<2>(|i| _ = o.write(to + i, convert(values[i])));
                half += THREADS / 32;
            }
        }
        (of_queries, of_keys)
    });
}
