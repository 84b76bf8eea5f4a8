//! A radix sort of words (CUB's `DeviceRadixSort::SortKeys`, "onesweep"): one kernel counts the digits of all passes, and each pass
//! reads and writes the keys once. Within a pass, CTAs learn from each other by decoupled look-back where their keys go.

use ptx::atomic::GlobalAtomics;
use ptx::global::{Global, GlobalScatter};
use ptx::group::{Cta, Together};
use ptx::qualifier::{scope, sem};
use ptx::reduce::ReduceMemory;
use ptx::registers::unroll;
use ptx::shared::SharedArray;
use ptx::trap;

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
const KEYS: usize = 22;
const TILE: usize = KEYS * THREADS;

/// What the CTAs publish of each tile and digit: a tag in the upper two bits and a number of keys in the others.
const OF_TILE: u32 = 1 << 30;
/// The number includes the keys of all tiles below.
const UP_TO_TILE: u32 = 2 << 30;
/// Tiles that a look-back loads at a time.
const LOOKS: usize = 4;

ptx::shared_memory! {
    // For sums of two numbers at a time.
    struct Smem { partials: ReduceMemory<u64>, places: SharedArray<u32, BINS> }
}

/// The counts of each warp, and for each warp and digit the lanes whose key has the digit; the keys of the tile in the order of their
/// digits.
type Memory = (SharedArray<u32, { 2 * WARPS * BINS }>, SharedArray<u32, TILE>);

/// Sorts the keys by digit `pass`, counted from the lowest; keys with the same digit keep their order. `counts` are those of
/// `radix_histogram`. `sums` has 256 elements for each tile of 8448 keys or part of one; they and `tickets[0]` are 0 before the launch.
/// There are less than 2^30 keys.
///
/// Launch: a 1-D grid with a CTA for each tile, or more, 384 threads per CTA, dynamic shared memory for the tile.
#[ptx::kernel(threads = THREADS as u32, min_ctas = 3)]
pub fn radix_pass(
    cta: Cta,
    #[shared] smem: Smem,
    #[dynamic] memory: Memory,
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
    let digit = |key: u32| (key >> (8 * pass) & 255) as usize;
    let has_digit = thread < BINS;

    cta.finish((memory.0, memory.1, smem.places), |cta, (words, sorted, places)| {
        // By tickets, the CTAs of all tiles below run or have ended: a CTA that looks back waits for none that has yet to start.
        let ticket = if cta.is_leader() { tickets.fetch_add(1, sem::Relaxed) } else { 0 };
        let words = words.write(cta, |_| 0).into_atomic(cta);
        let tile = partials.broadcast(cta, u64::from(ticket)) as u32;
        if tile >= tiles {
            return (words.end(), sorted.end(), places.end());
        }
        let at = |i: usize| words.atomic(i).unwrap_or_else(|| trap());
        let publish = |tile: u32, tag: u32, count: u32| {
            if let (true, Some(to)) = (has_digit, sums.get(tile as usize * BINS + thread)) {
                to.store(tag | count, sem::Relaxed);
            }
        };
        let of_digit = if has_digit { counts.get(pass as usize * BINS + thread).unwrap_or(0) } else { 0 };
        let (warp, lane) = (cta.warp(), cta.warp().lane());
        // A warp has adjacent keys, in rows of a key per lane. Missing keys are the greatest, after all others: they stay last.
        let first = tile * TILE as u32 + (warp_rank * KEYS * 32) as u32 + lane;
        let mut keys = [0; KEYS];
        unroll::<KEYS>(|row| keys[row] = input.get((first + 32 * row as u32) as usize).unwrap_or(!0));

        // The counts come first, so that other CTAs need not wait for the ranks.
        unroll::<KEYS>(|row| at(warp_rank * BINS + digit(keys[row])).add(1, sem::Relaxed));
        cta.sync();
        // A thread for each digit.
        let mut count = 0;
        if has_digit {
            unroll::<WARPS>(|w| count += at(w * BINS + thread).load(sem::Relaxed));
        }
        publish(tile, if tile == 0 { UP_TO_TILE } else { OF_TILE }, count);
        // The place of the first key with this digit, in the tile and in the output. Neither sum overflows its half.
        let (before, _) = partials.exclusive_sum(cta, u64::from(count) | u64::from(of_digit) << 32);
        let (in_tile, first_place) = (before as u32, (before >> 32) as u32);
        if has_digit {
            let mut place = in_tile;
            unroll::<WARPS>(|w| {
                let of_warp = at(w * BINS + thread);
                let count = of_warp.load(sem::Relaxed);
                of_warp.store(place, sem::Relaxed);
                place += count;
            });
        }
        cta.sync();

        let sorted = sorted.element_stores();
        unroll::<KEYS>(|row| {
            let own = warp_rank * BINS + digit(keys[row]);
            let (next, mask) = (at(own), at(WARPS * BINS + own));
            mask.or(1 << lane, sem::Relaxed);
            warp.sync();
            let lanes = mask.load(sem::Relaxed);
            let last = 31 - lanes.leading_zeros();
            let place = if lane == last { next.fetch_add(lanes.count_ones(), sem::Relaxed) } else { 0 };
            warp.sync();
            mask.store(0, sem::Relaxed); // by all lanes with the digit: no branch
            let place = warp.shuffle(place, last) + (lanes & ((1 << lane) - 1)).count_ones();
            sorted.set(place as usize, keys[row]);
            // Another lane may be the last of the next row.
            warp.sync();
        });

        let places = places.element_stores();
        if has_digit {
            let (mut before, mut end) = (0_u32, tile);
            while end > 0 {
                let mut published = [UP_TO_TILE; LOOKS];
                unroll::<LOOKS>(|i| {
                    let tile = end.checked_sub(1 + i as u32);
                    if let Some(sum) = tile.and_then(|tile| sums.get(tile as usize * BINS + thread)) {
                        published[i] = sum.load(sem::Relaxed);
                    }
                });
                // Up to the first tile that has published nothing, or includes all tiles below.
                let mut goes_on = true;
                unroll::<LOOKS>(|i| {
                    goes_on &= published[i] >= OF_TILE;
                    if goes_on {
                        before += published[i] & (OF_TILE - 1);
                        end = if published[i] >= UP_TO_TILE { 0 } else { end - 1 };
                        goes_on = end > 0;
                    }
                });
            }
            if tile > 0 {
                publish(tile, UP_TO_TILE, before + count);
            }
            places.set(thread, (first_place + before).wrapping_sub(in_tile));
        }
        let (sorted, places) = (sorted.publish(), places.publish()).sync(cta);
        let present = n - tile * TILE as u32;
        unroll::<KEYS>(|i| {
            let place = thread + i * THREADS;
            if let (true, Some(key)) = ((place as u32) < present, sorted.get(place)) {
                let to = places.get(digit(key)).unwrap_or(0).wrapping_add(place as u32);
                output.write(to as usize, key);
            }
        });
        (words.end(), sorted.end(), places.end())
    });
}
