//! The greatest elements of each row of a matrix, in descending order (`torch.topk`).

use ptx::global::{Global, GlobalMatrix, GlobalScatter};
use ptx::group::Cta;
use ptx::qualifier::sem;
use ptx::registers::unroll;
use ptx::shared::SharedArray;
use ptx::trap;
use ptx::warp::Warp;

const THREADS: usize = 256;
const WARPS: usize = THREADS / 32;
/// The largest `k`: each lane holds two of the elements found so far.
const MOST: u32 = 64;
/// Elements that wait in shared memory until a warp has enough of them to sort: less than 32, and four of each lane.
const QUEUE: usize = 32 + 4 * 32;

ptx::shared_memory! {
    struct Smem { queues: SharedArray<u64, { WARPS * QUEUE }> }
}

/// The float in the upper half, so that greater floats are greater numbers; the complement of the column in the lower half, so that the
/// first of equal floats is the greatest. No element is 0.
#[inline(always)]
fn ranked(value: f32, column: u32) -> u64 {
    let bits = value.to_bits();
    let sign = (bits.cast_signed() >> 31).cast_unsigned();
    u64::from(bits ^ (sign | 1 << 31)) << 32 | u64::from(!column)
}

/// Returns the float and the column of which [`ranked`] made the number.
#[inline(always)]
fn value_and_column(ranked: u64) -> (f32, u32) {
    let bits = (ranked >> 32) as u32;
    let sign = (bits.cast_signed() >> 31).cast_unsigned();
    (f32::from_bits(bits ^ (!sign | 1 << 31)), !(ranked as u32))
}

/// Exchanges numbers with the lane `distance` away, and keeps the greater or the smaller one.
#[inline(always)]
fn exchange(warp: &Warp<'_>, mine: u64, distance: u32, keeps_greater: bool) -> u64 {
    let other = warp.shuffle_xor(mine, distance);
    if (mine > other) == keeps_greater { mine } else { other }
}

/// Sorts the numbers of the lanes, which ascend and then descend, or descend and then ascend (bitonic).
#[inline(always)]
fn sort_bitonic(warp: &Warp<'_>, mut mine: u64, descending: bool) -> u64 {
    unroll::<5>(|step| {
        let distance = 16 >> step;
        mine = exchange(warp, mine, distance, (warp.lane() & distance == 0) == descending);
    });
    mine
}

/// Sorts the numbers of the lanes, ascending.
#[inline(always)]
fn sort(warp: &Warp<'_>, mut mine: u64) -> u64 {
    unroll::<5>(|level| {
        unroll::<5>(|step| {
            if step <= level {
                let distance = 1 << (level - step);
                let ascends = warp.lane() & (2 << level) == 0;
                mine = exchange(warp, mine, distance, (warp.lane() & distance == 0) != ascends);
            }
        });
    });
    mine
}

/// The 64 greatest numbers so far: in descending order, first those of `upper`, by lane, then those of `lower`.
#[derive(Clone, Copy)]
struct Greatest {
    upper: u64,
    lower: u64,
}

impl Greatest {
    /// Puts the numbers of the lanes among the greatest, if they belong there.
    #[inline(always)]
    fn insert(&mut self, warp: &Warp<'_>, mine: u64) {
        // Of a descending and an ascending sequence, the greater of each two are the greatest of both, and bitonic.
        let kept = sort_bitonic(warp, self.lower.max(sort(warp, mine)), false);
        let (upper, lower) = (self.upper.max(kept), self.upper.min(kept));
        *self = Greatest { upper: sort_bitonic(warp, upper, true), lower: sort_bitonic(warp, lower, true) };
    }

    /// Returns the number that has `rank` others before it.
    #[inline(always)]
    fn at(&self, warp: &Warp<'_>, rank: u32) -> u64 {
        warp.shuffle(if rank < 32 { self.upper } else { self.lower }, rank)
    }
}

/// `values[r * k ..][..k]` and `columns_of[r * k ..][..k]` ← the `k` greatest elements of row r and their columns, in descending order; of
/// equal elements the first. NaN is the greatest if its sign is clear, or else the least. `k` is 1 to 64, and not greater than the
/// number of columns.
///
/// Launch: a 1-D grid of any size, 256 threads per CTA: a row per warp.
///
/// Technique: elements greater than the k-th so far wait in shared memory until there are 32 of them; the warp then sorts them by
/// shuffles into the 64 greatest that its lanes hold. In random rows few elements get that far.
#[ptx::kernel(threads = THREADS as u32)]
pub fn top_k(
    cta: Cta,
    #[shared] smem: Smem,
    #[len(rows, columns)] input: GlobalMatrix<f32>,
    values: GlobalScatter<f32>,
    columns_of: GlobalScatter<u32>,
    rows: u32,
    columns: u32,
    k: u32,
) {
    if k == 0 || k > MOST {
        trap();
    }
    cta.finish(smem.queues, |cta, queues| {
        let queues = queues.write(cta, |_| 0).into_atomic(cta);
        let warp = cta.warp();
        let (lane, of_warp) = (warp.lane(), cta.warp_rank() as usize * QUEUE);
        let load =
            |i: u32| queues.atomic(of_warp + i as usize).map_or(0, |waiting| waiting.load(sem::Relaxed));
        let store = |i: u32, ranked: u64| {
            if let Some(waiting) = queues.atomic(of_warp + i as usize) {
                waiting.store(ranked, sem::Relaxed);
            }
        };

        let mut row = cta.grid_rank() as usize * WARPS + cta.warp_rank() as usize;
        while row < rows as usize {
            let of_row: Global<f32> = input.row(row).unwrap_or_else(|| trap());
            let mut greatest = Greatest { upper: 0, lower: 0 };
            // The k-th greatest element so far, and the number of elements that wait.
            let (mut least, mut count) = (0, 0);
            // This vector and the next: four loads are in flight.
            let vector = |i: u32| of_row.get_vector(i as usize).unwrap_or_default();
            let (mut a, mut b, mut c) = (vector(lane), vector(lane + 32), vector(lane + 64));
            let (mut first, vectors) = (0, columns / 4);
            while first < vectors {
                let i = first + lane;
                let d = vector(i + 96);
                unroll::<4>(|element| {
                    let mine = if i < vectors { ranked(a[element], 4 * i + element as u32) } else { 0 };
                    let waits = mine > least;
                    let waiting = warp.ballot(waits).bits();
                    if waits {
                        store(count + (waiting & ((1 << lane) - 1)).count_ones(), mine);
                    }
                    count += waiting.count_ones();
                });
                while count >= 32 {
                    count -= 32;
                    warp.sync();
                    let mine = load(count + lane);
                    warp.sync();
                    greatest.insert(&warp, mine);
                    least = greatest.at(&warp, k - 1);
                }
                (a, b, c) = (b, c, d);
                first += 32;
            }
            warp.sync();
            let rest = if lane < count { load(lane) } else { 0 };
            warp.sync();
            greatest.insert(&warp, rest);

            let put = |rank: u32, ranked: u64| {
                if rank < k {
                    let (value, column) = value_and_column(ranked);
                    let to = row * k as usize + rank as usize;
                    values.write(to, value);
                    columns_of.write(to, column);
                }
            };
            put(lane, greatest.upper);
            put(32 + lane, greatest.lower);
            row += cta.grid_size() as usize * WARPS;
        }
        queues.end()
    });
}
