//! Attention of one query per sequence (decode) with grouped queries, on tensor cores: keys and values lie in pages, and thread
//! blocks share the keys of a sequence.

use half::bf16;
use ptx::atomic::{AtomicRef, GlobalAtomics};
use ptx::global::{Global, GlobalScatter};
use ptx::group::{Cta, Warpgroup};
use ptx::math::{convert, ex2_ftz, fma, max};
use ptx::pipeline::{
    Consumer, MaxRegisters, PipelineMemory, Pipelines as _, StageOperands, WarpgroupBarriers,
};
use ptx::qualifier::n::{N64, N128};
use ptx::qualifier::{scope, sem, swizzle_mode};
use ptx::registers::{from_fn, unroll};
use ptx::shared::Element;
use ptx::tensor::{self, Box4, TensorMap};
use ptx::trap;
use ptx::wgmma::{Accumulator, Half, PerRow, RegisterMultiplicand, Tile, Wgmma, Zeros};

use crate::softmax::Softmax;

/// Elements of a head.
const SIZE: usize = 128;
/// Keys of a block, and the most heads of queries that share a head of keys: the rows of one product.
const BLOCK: usize = 64;
/// Stages of keys and of values, which are blocks.
const STAGES: usize = 6;
/// Threads of a CTA: a warpgroup that loads, and one that multiplies.
const THREADS: u32 = 256;
/// 64 rows of half a head: heads of queries of one group, or tokens of one page.
type Rows = Box4<64, BLOCK, 1, 1, swizzle_mode::B128>;
type Stage<T> = Tile<T, Rows, { SIZE / 64 }>;

/// Returns the number of splits with which a launch is fast: for so many heads of keys in all sequences, of which the longest has
/// `blocks` blocks of 64 tokens, on a GPU that has room for so many CTAs.
pub fn splits(heads: u32, blocks: u32, room: u32) -> u32 {
    /// Half of the CTAs load as fast as the memory can.
    const ENOUGH: u64 = 2;
    /// The time to combine splits, and that for each of them, in parts of the time in which one of so many CTAs works on a block.
    const PARTS: u64 = 32;
    const COMBINE: u64 = 48;
    let (heads, blocks, room) = (u64::from(heads), u64::from(blocks), u64::from(room.max(1)));
    let of_memory = PARTS * ENOUGH * heads * blocks / room;
    let time = |splits: &u32| {
        let splits = u64::from(*splits);
        let of_cta = PARTS * (heads * splits).div_ceil(room) * blocks.div_ceil(splits);
        of_cta.max(of_memory) + if splits > 1 { COMBINE + splits } else { 0 }
    };
    (1..=blocks.clamp(1, 256) as u32).min_by_key(time).unwrap_or(1)
}

ptx::shared_memory! {
    struct Smem { barriers: WarpgroupBarriers<1> }
}

/// The sequences, and how they are divided among CTAs.
#[derive(Clone, Copy)]
struct Sequences {
    lengths: Global<u32>,
    table: Global<u32>,
    /// Columns of the table, and blocks of a page.
    pages: u32,
    blocks: u32,
    /// Heads of keys, those of all sequences, and splits of each of them.
    heads: u32,
    groups: u32,
    splits: u32,
}

impl Sequences {
    /// Returns the parts that the CTA works on.
    #[inline(always)]
    fn parts(self, cta: &Cta) -> impl Iterator<Item = Part> + Clone + use<> {
        let count = self.groups * self.splits;
        let (mut next, step) = (cta.grid_rank(), cta.grid_size());
        core::iter::from_fn(move || {
            let i = next;
            next = next.saturating_add(step);
            (i < count).then(|| self.part(i))
        })
    }

    #[inline(always)]
    fn part(self, i: u32) -> Part {
        let (group, split) = (i / self.splits, i % self.splits);
        let (sequence, head) = (group / self.heads, group % self.heads);
        let length = self.lengths.get(sequence as usize).unwrap_or(0);
        let count = length.div_ceil(BLOCK as u32);
        let (of_split, more) = (count / self.splits, count % self.splits);
        let first = split * of_split + split.min(more);
        Part {
            index: i,
            sequence,
            head,
            group,
            length,
            first,
            end: first + of_split + u32::from(split < more),
        }
    }

    /// Returns the page with a block of a sequence, and the number of the block in that page.
    #[inline(always)]
    fn page(self, sequence: u32, block: u32) -> Option<(u32, u32)> {
        let (page, block) = (block / self.blocks, block % self.blocks);
        if page >= self.pages {
            return None;
        }
        let page = self.table.get(sequence as usize * self.pages as usize + page as usize)?;
        Some((page, block))
    }
}

/// Some blocks of keys of one head of one sequence.
#[derive(Clone, Copy)]
struct Part {
    /// The number of the part among those of all heads of all sequences.
    index: u32,
    sequence: u32,
    head: u32,
    /// The number of the head among those of all sequences.
    group: u32,
    /// The tokens of the sequence.
    length: u32,
    /// The first block, and the one after the last.
    first: u32,
    end: u32,
}

impl Part {
    /// Returns how many keys of a block do not count, its first ones: the last block of a sequence ends with it, so they belong
    /// to the block before, or are before the page and zeros.
    #[inline(always)]
    fn hidden(self, block: u32) -> u32 {
        ((block + 1) * BLOCK as u32).saturating_sub(self.length)
    }
}

/// What a warpgroup has of a split after some of its blocks of keys.
struct Work<'p, T> {
    queries: StageOperands<'p, Stage<T>, 1>,
    of_keys: Consumer<'p, Stage<T>, STAGES>,
    wgmma: Wgmma<'p>,
    softmax: Softmax,
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
            let (mut i, mut of_thread) = (0, 0);
            scores = scores.map_at(warpgroup, |[_, column], score| {
                if i == 0 {
                    of_thread = hidden.saturating_sub(column);
                }
                let [_, distance] = distance(i);
                i += 1;
                if distance >= of_thread { score } else { f32::NEG_INFINITY }
            });
        }
        let mut softmax = self.softmax;
        let largest = scores.fold_rows(max).zip(softmax.largest, max).reduce(warpgroup, max);
        let (weights, correction) = softmax.step(scores, largest, scale);
        let sums = self.sums.map_rows(correction, |sum, factor| sum * factor);
        let products = wgmma.start(warpgroup, sums, (weights.pack::<T>(), v), |sums, (weights, v)| {
            sums.mma_registers(weights, v.tiles().transposed())
        });
        let (wgmma, (sums, (_, v))) = products.wait(warpgroup);
        v.release(warpgroup);
        Self { queries, of_keys, wgmma, softmax, sums }
    }
}

/// Rows and columns from the thread's first sum to sum `i` (PTX ISA 9.7.15.5.1.1.3). Rows and columns of sums that are computed
/// one by one would be kept in registers from part to part.
const fn distance(i: u32) -> [u32; 2] {
    [i / 2 % 2 * 8, i / 4 * 8 + i % 2]
}

/// Calls `f` with each pair of neighboring sums in the first `rows` rows, and with its number in memory in which the first row
/// begins with pair `first`, and each row `stride` pairs after the one before.
#[inline(always)]
fn for_each_pair(
    warpgroup: &Warpgroup<'_, 1>,
    sums: Accumulator<N128>,
    rows: u32,
    first: usize,
    stride: usize,
    mut f: impl FnMut(usize, [f32; 2]),
) {
    let place = |[row, column]: [u32; 2]| row as usize * stride + column as usize / 2;
    let (mut i, mut first, mut left) = (0, first, 0.0);
    _ = sums.map_at(warpgroup, |at, sum| {
        if i == 0 {
            first += place(at);
        }
        let [row, _] = at;
        if i % 2 == 0 {
            left = sum;
        } else if row < rows {
            f(first + place(distance(i)), [left, sum]);
        }
        i += 1;
        sum
    });
}

/// The results of the splits of one sequence and one head of keys, in memory that their CTAs share. A row has its sums of
/// weighted values, then the largest score times the scale, and the sum of its exponentials.
#[derive(Clone, Copy)]
struct Partials {
    memory: GlobalAtomics<f32, scope::Gpu>,
    pairs: GlobalAtomics<[f32; 2], scope::Gpu>,
    /// Splits, and rows of each.
    splits: u32,
    rows: u32,
}

impl Partials {
    /// Returns the number of the first pair of a row of part `index`.
    #[inline(always)]
    fn row(self, index: u32, row: u32) -> usize {
        (index * self.rows + row) as usize * (SIZE / 2 + 1)
    }

    /// Stores the rows of part `index`.
    #[inline(always)]
    fn store(
        self,
        warpgroup: &Warpgroup<'_, 1>,
        index: u32,
        sums: Accumulator<N128>,
        of_rows: [PerRow<f32>; 2],
    ) {
        let of_row = |row| self.row(index, row);
        unroll::<2>(|i| {
            of_rows[i].for_each(warpgroup, |row, value| {
                if row < self.rows
                    && let Some(word) = self.memory.get(2 * of_row(row) + SIZE + i)
                {
                    word.store(value, sem::Relaxed);
                }
            });
        });
        for_each_pair(warpgroup, sums, self.rows, of_row(0), SIZE / 2 + 1, |i, sums| {
            if let Some(pair) = self.pairs.get(i) {
                pair.store(sums, sem::Relaxed);
            }
        });
    }

    /// Returns pair `pair` of a row's values, of all splits together.
    #[inline(always)]
    fn combine(self, group: u32, row: u32, pair: usize) -> [f32; 2] {
        /// Splits whose loads are in flight.
        const SPLITS: usize = 8;
        let (mut largest, mut total, mut sums) = (Softmax::LOWEST, 0.0_f32, [0.0_f32; 2]);
        let mut split = 0;
        while split < self.splits {
            // Beyond the last split it is loaded again, and does not count. No branch lies between the loads.
            let of_row: [_; SPLITS] = core::array::from_fn(|i| {
                self.row(group * self.splits + (split + i as u32).min(self.splits - 1), row)
            });
            let places = of_row.map(|row| (self.pairs.get(row + SIZE / 2), self.pairs.get(row + pair)));
            if places.iter().any(|(of_row, values)| of_row.is_none() || values.is_none()) {
                trap();
            }
            let load = |place: Option<AtomicRef<'_, _, _, _>>| {
                place.map_or([0.0; 2], |pair| pair.load(sem::Relaxed))
            };
            let of_rows: [[f32; 2]; SPLITS] = from_fn(|i| load(places[i].0));
            let values: [[f32; 2]; SPLITS] = from_fn(|i| load(places[i].1));
            let before = largest;
            let of_split =
                |i: usize| if split + (i as u32) < self.splits { of_rows[i][0] } else { f32::NEG_INFINITY };
            unroll::<SPLITS>(|i| largest = max(largest, of_split(i)));
            let correction = ex2_ftz(before - largest);
            total *= correction;
            sums = sums.map(|sum| sum * correction);
            unroll::<SPLITS>(|i| {
                let weight = ex2_ftz(of_split(i) - largest);
                total = fma(weight, of_rows[i][1], total);
                unroll::<2>(|k| sums[k] = fma(weight, values[i][k], sums[k]));
            });
            split += SPLITS as u32;
        }
        sums.map(|sum| if total > 0.0 { sum / total } else { 0.0 })
    }
}

/// `o` ← softmax(`scale` · `q` · `k`ᵀ) · `v` for one query of each head of each sequence. `scale` is that of the scores by the
/// logarithm of 2. `shared` heads of `q`, 64 at most, share a head of `k` and `v`.
///
/// The dimensions of `q` are the elements of a head, the heads that share keys, the heads of keys, and the sequences; those of
/// `k` and `v` are the elements of a head, the tokens of a page, the heads, and the pages. A page has `blocks` blocks of 64
/// tokens. Sequence i has `lengths[i]` tokens in the pages of row i of `table`, which has a row for each sequence; without
/// tokens, its result is zeros. `o` has sequences of heads of queries.
///
/// `counts` has a 0 for each head of `k` of each sequence, which is 0 again after the launch. With more than one of `splits`,
/// `partials` has 130 elements for each split of each head of `q`. It is aligned to 16 bytes.
///
/// Launch: a 1-D grid of any size, best as many CTAs as run at a time, two per multiprocessor, or one for each split of each head
/// of keys if these are fewer.
///
/// Technique: a CTA works on parts of the keys of one head, and loads those of the next part meanwhile. The heads that share them
/// are rows of one product, of which the other rows are zeros: the memory takes longer. Nothing beyond the end of a sequence is
/// loaded. The last CTA of a head combines its parts.
#[ptx::kernel(threads = THREADS, min_ctas = 2, instances(<bf16>))]
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
    splits: u32,
    blocks: u32,
    scale: f32,
) {
    tensor::prefetch_tensormap(&cta, &q);
    tensor::prefetch_tensormap(&cta, &k);
    tensor::prefetch_tensormap(&cta, &v);
    let Some(pairs) = partials.vectors::<2>() else { trap() };
    if splits == 0 || blocks == 0 {
        trap();
    }
    let partials = Partials { memory: partials, pairs, splits, rows: shared };
    let (sequences, groups) = ((lengths.len() as u32).max(1), counts.len() as u32);
    let (pages, heads) = (table.len() as u32 / sequences, (groups / sequences).max(1));
    let sequences = Sequences { lengths, table, pages, blocks, heads, groups, splits };
    let parts = sequences.parts(&cta);
    cta.finish(memory, |cta, pipelines| {
        let run = pipelines.run_warpgroups(
            cta,
            smem.barriers,
            MaxRegisters::<40, 232>,
            [(); 1],
            |thread, (mut of_queries, mut of_keys)| {
                for part in parts.clone() {
                    let Some(queries) = q.at([0, 0, part.head as i32, part.sequence as i32]) else { trap() };
                    of_queries = of_queries.load(thread, queries);
                    for block in (part.first..part.end).rev() {
                        let Some((page, of_page)) = sequences.page(part.sequence, block) else { trap() };
                        let token = (of_page * BLOCK as u32) as i32 - part.hidden(block) as i32;
                        let at = [0, token, part.head as i32, page as i32];
                        let (Some(k), Some(v)) = (k.at(at), v.at(at)) else { trap() };
                        of_keys = of_keys.load(thread, k).load(thread, v);
                    }
                }
                (of_queries, of_keys)
            },
            |warpgroup, (mut of_queries, mut of_keys), mut wgmma, _| {
                for part in parts.clone() {
                    let (queries, next) = of_queries.operands(warpgroup);
                    of_queries = next;
                    let mut work =
                        Work { queries, of_keys, wgmma, softmax: Softmax::new(), sums: Accumulator::zeros() };
                    let mut left = part.end - part.first;
                    if left > 0 {
                        work = work.block(warpgroup, part.hidden(part.end - 1), scale);
                        while left > 1 {
                            work = work.block(warpgroup, 0, scale);
                            left -= 1;
                        }
                    }
                    work.queries.release(warpgroup);
                    (of_keys, wgmma) = (work.of_keys, work.wgmma);
                    let exponentials = work.softmax.sums.reduce(warpgroup, |x, y| x + y);
                    if splits > 1 {
                        let largest = work.softmax.largest.map(|x| x * scale);
                        partials.store(warpgroup, part.index, work.sums, [largest, exponentials]);
                    } else {
                        let inverse = exponentials.map(|sum| if sum > 0.0 { 1.0 / sum } else { 0.0 });
                        let first = part.index as usize * shared as usize * (SIZE / 2);
                        let values = work.sums.map_rows(inverse, |sum, factor| sum * factor);
                        for_each_pair(warpgroup, values, shared, first, SIZE / 2, |i, pair| {
                            unroll::<2>(|k| _ = o.write(2 * i + k, convert(pair[k])));
                        });
                    }
                }
                ((of_queries, of_keys), wgmma, ())
            },
        );
        let (ended, _) = run.end();

        if splits > 1 {
            // Orders the stores of all threads before the leader's release.
            cta.sync();
            for part in parts.clone() {
                let Some(count) = counts.get(part.group as usize) else { trap() };
                let is_last = cta.is_leader() && count.fetch_inc(splits - 1, sem::AcqRel) == splits - 1;
                // Orders the leader's acquire before the loads of all threads.
                if cta.sync_or(is_last) {
                    let (warp, lane) = (cta.warp_rank(), cta.warp().lane());
                    // A warp has half a row at a time.
                    let mut half = warp;
                    while half < 2 * shared {
                        let (row, pair) = (half / 2, (half % 2 * 32 + lane) as usize);
                        let values = partials.combine(part.group, row, pair);
                        let to = (part.group as usize * shared as usize + row as usize) * SIZE + 2 * pair;
                        unroll::<2>(|i| _ = o.write(to + i, convert(values[i])));
                        half += THREADS / 32;
                    }
                }
            }
        }
        ended
    });
}
