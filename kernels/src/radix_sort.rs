//! A radix sort of words (CUB's `DeviceRadixSort::SortKeys`, "onesweep"): one kernel counts the digits of all passes, and each pass
//! reads and writes the keys once. Within a pass, CTAs learn from each other by decoupled look-back where their keys go.

use ptx::atomic::GlobalAtomics;
use ptx::global::{Global, GlobalScatter};
use ptx::group::Cta;
use ptx::qualifier::{scope, sem};
use ptx::reduce::ReduceMemory;
use ptx::registers::unroll;
use ptx::shared::SharedArray;
use ptx::trap;
use ptx::warp::Warp;

/// The values of a digit of eight bits.
const BINS: usize = 256;
const PASSES: usize = 4;

const COUNTING: usize = 256;
/// Vectors of four keys that a thread of `radix_histogram` has in flight.
const LOADS: usize = 4;

ptx::shared_memory! {
    struct Bins { bins: SharedArray<u32, { PASSES * BINS }> }
}

/// Adds to `counts[256 * p + d]` the number of keys whose digit p, counted from the lowest, is d.
///
/// Launch: a 1-D grid of any size, 256 threads per CTA.
#[ptx::kernel(threads = COUNTING as u32)]
pub fn radix_histogram(
    cta: Cta,
    #[shared] smem: Bins,
    input: Global<u32>,
    #[len(PASSES * BINS)] counts: GlobalAtomics<u32, scope::Gpu>,
) {
    let (rank, thread) = (cta.grid_rank() as usize, cta.thread_rank() as usize);
    cta.finish(smem.bins, |cta, bins| {
        let bins = bins.write(cta, |_| 0).into_atomic(cta);
        let count = |key: u32| {
            unroll::<PASSES>(|pass| {
                if let Some(bin) = bins.atomic(pass * BINS + (key >> (8 * pass) & 255) as usize) {
                    bin.add(1, sem::Relaxed);
                }
            });
        };
        let mut i = rank * LOADS * COUNTING + thread;
        while let Some(vectors) = input.get_vectors::<LOADS, COUNTING>(i) {
            vectors.into_iter().for_each(|keys| unroll::<4>(|k| count(keys[k])));
            i += cta.grid_size() as usize * LOADS * COUNTING;
        }
        while let Some(keys) = input.get_vector(i) {
            unroll::<4>(|k| count(keys[k]));
            i += COUNTING;
        }
        let (_, rest) = input.tiles::<4>();
        if let (0, Some(key)) = (rank, rest.get(thread)) {
            count(key);
        }

        let bins = bins.publish().sync(cta);
        unroll::<PASSES>(|pass| {
            let b = pass * BINS + thread;
            if let (Some(count), Some(total)) = (bins.get(b), counts.get(b)) {
                total.add(count, sem::Relaxed);
            }
        });
        bins.end()
    });
}

const THREADS: usize = 384;
const WARPS: usize = THREADS / 32;
/// Keys that a thread has of a tile.
const KEYS: usize = 16;
const TILE: usize = KEYS * THREADS;

/// What the CTAs publish of each tile and digit: a tag in the upper two bits and a number of keys in the others.
const OF_TILE: u32 = 1 << 30;
/// The number includes the keys of all tiles below.
const UP_TO_TILE: u32 = 2 << 30;

ptx::shared_memory! {
    // First the counts of each warp, then the keys of the tile in the order of their digits; and a place for each digit.
    struct Smem { words: SharedArray<u32, { TILE + BINS }>, partials: ReduceMemory<u32> }
}

/// Returns the lanes whose key has the same digit. A ballot for each bit takes fewer cycles than `match.any` with many digits.
fn lanes_of(warp: &Warp<'_>, digit: u32) -> u32 {
    let mut lanes = !0;
    unroll::<8>(|bit| {
        let is_set = digit >> bit & 1 != 0;
        let set = warp.ballot(is_set).bits();
        lanes &= if is_set { set } else { !set };
    });
    lanes
}

/// Sorts the keys by digit `pass`, counted from the lowest; keys with the same digit keep their order. `counts` are those of
/// `radix_histogram`. `sums` has 256 elements for each tile of 6144 keys or part of one; they and `tickets[0]` are 0 before the launch.
/// There are less than 2^30 keys.
///
/// Launch: a 1-D grid with a CTA for each tile, or more, 384 threads per CTA.
#[ptx::kernel(threads = THREADS as u32, min_ctas = 2)]
pub fn radix_pass(
    cta: Cta,
    #[shared] smem: Smem,
    #[len(n)] input: Global<u32>,
    #[len(PASSES * BINS)] counts: Global<u32>,
    sums: GlobalAtomics<u32, scope::Gpu>,
    tickets: GlobalAtomics<u32, scope::Gpu>,
    #[len(n)] output: GlobalScatter<u32>,
    n: u32,
    pass: u32,
) {
    let (mut partials, thread, warp_rank) =
        (smem.partials, cta.thread_rank() as usize, cta.warp_rank() as usize);
    let tiles = n.div_ceil(TILE as u32);
    let Some(tickets) = tickets.get(0) else { trap() };
    if pass >= PASSES as u32 || n >= OF_TILE || sums.len() < tiles as usize * BINS {
        trap();
    }
    let digit = |key: u32| key >> (8 * pass) & 255;
    let has_digit = thread < BINS;

    cta.finish(smem.words, |cta, words| {
        let words = words.write(cta, |_| 0).into_atomic(cta);
        let load = |i: usize| words.atomic(i).map_or(0, |word| word.load(sem::Relaxed));
        let store = |i: usize, value: u32| {
            if let Some(word) = words.atomic(i) {
                word.store(value, sem::Relaxed);
            }
        };
        let publish = |tile: u32, tag: u32, count: u32| {
            if let (true, Some(to)) = (has_digit, sums.get(tile as usize * BINS + thread)) {
                to.store(tag | count, sem::Relaxed);
            }
        };
        // By tickets, the CTAs of all tiles below run or have ended: a CTA that looks back waits for none that has yet to start.
        let ticket = if cta.is_leader() { tickets.fetch_add(1, sem::Relaxed) } else { 0 };
        let tile = partials.broadcast(cta, ticket);
        if tile >= tiles {
            return words.end();
        }
        let (warp, lane) = (cta.warp(), cta.warp().lane());
        // A warp has adjacent keys, in rows of a key per lane. Missing keys are the greatest, after all others: they stay last.
        let first = tile * TILE as u32 + (warp_rank * KEYS * 32) as u32 + lane;
        let mut keys = [0; KEYS];
        unroll::<KEYS>(|row| keys[row] = input.get((first + 32 * row as u32) as usize).unwrap_or(!0));

        // For each key, the place of its digit's count in the upper half, and the number of keys of the warp with the same digit
        // before it in the lower half: the second loop then needs no address of the first.
        let mut ranks = [0; KEYS];
        unroll::<KEYS>(|row| {
            let lanes = lanes_of(&warp, digit(keys[row]));
            let at = warp_rank * BINS + digit(keys[row]) as usize;
            let last = 31 - lanes.leading_zeros();
            let mut before = 0;
            if lane == last {
                before = load(at);
                store(at, before + lanes.count_ones());
            }
            // Another lane may be the last of the next row.
            warp.sync();
            before = warp.shuffle(before, last) + (lanes & ((1 << lane) - 1)).count_ones();
            ranks[row] = (at as u32) << 16 | before;
        });
        cta.sync();

        // A thread for each digit.
        let mut count = 0;
        if has_digit {
            unroll::<WARPS>(|w| count += load(w * BINS + thread));
        }
        publish(tile, if tile == 0 { UP_TO_TILE } else { OF_TILE }, count);
        let (in_tile, _) = partials.exclusive_sum(cta, count);
        if has_digit {
            let mut at = in_tile;
            unroll::<WARPS>(|w| {
                let of_warp = load(w * BINS + thread);
                store(w * BINS + thread, at);
                at += of_warp;
            });
        }
        cta.sync();
        unroll::<KEYS>(|row| ranks[row] = load(ranks[row] as usize >> 16) + (ranks[row] & 0xffff));
        cta.sync();
        unroll::<KEYS>(|row| store(ranks[row] as usize, keys[row]));

        // The place of the first key with the digit of this thread.
        let of_digit = if has_digit { counts.get(pass as usize * BINS + thread).unwrap_or(0) } else { 0 };
        let (first_place, _) = partials.exclusive_sum(cta, of_digit);
        if has_digit {
            let (mut before, mut end) = (0_u32, tile);
            while end > 0 {
                let at = sums.get((end as usize - 1) * BINS + thread);
                let published = at.map_or(UP_TO_TILE, |sum| sum.load(sem::Relaxed));
                if published >= OF_TILE {
                    before += published & (OF_TILE - 1);
                    end = if published >= UP_TO_TILE { 0 } else { end - 1 };
                }
            }
            if tile > 0 {
                publish(tile, UP_TO_TILE, before + count);
            }
            store(TILE + thread, (first_place + before).wrapping_sub(in_tile));
        }
        cta.sync();
        let present = n - tile * TILE as u32;
        unroll::<KEYS>(|i| {
            let (place, key) = (thread + i * THREADS, load(thread + i * THREADS));
            if (place as u32) < present {
                let to = load(TILE + digit(key) as usize).wrapping_add(place as u32);
                output.write(to as usize, key);
            }
        });
        words.end()
    });
}
