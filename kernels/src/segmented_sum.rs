//! Sums of the values of equal keys that stand next to each other (CUB's `DeviceReduce::ReduceByKey`, a segmented sum).

use ptx::atomic::GlobalAtomics;
use ptx::global::Global;
use ptx::group::Cta;
use ptx::qualifier::{scope, sem};
use ptx::registers::unroll;

const THREADS: usize = 256;
/// Vectors of keys, and as many of values, that a thread has in flight.
const ROWS: usize = 2;
/// Vectors that a warp takes together, one after the other: it adds to memory where a segment ends, and at their end.
const CHUNK: usize = 16 * ROWS * 32;

/// No element has this key: `sums` would be longer than a slice of `f32` can be if its indices had 32 bits.
const NO_KEY: u32 = u32::MAX;

/// Adds to `sums[k]` the values whose key is k. The keys ascend; keys past the end of `sums` are passed over. `sums` has less than
/// 2^32 - 1 elements.
///
/// Launch: a 1-D grid of any size, 256 threads per CTA.
///
/// Technique: a lane adds up the runs of its vector, and a segmented scan by shuffles joins the runs of adjacent lanes. So one atomic
/// addition serves a whole segment, or the part of it that lies in a chunk.
#[ptx::kernel(threads = THREADS as u32)]
pub fn segmented_sum(
    cta: Cta,
    #[len(n)] keys: Global<u32>,
    #[len(n)] values: Global<f32>,
    sums: GlobalAtomics<f32, scope::Gpu>,
    n: usize,
) {
    let warp = cta.warp();
    let lane = warp.lane();
    let flush = |key: u32, sum: f32| {
        if let Some(to) = sums.get(key as usize) {
            to.add(sum, sem::Relaxed);
        }
    };
    let warps = THREADS / 32;
    let count = n / 4;
    let mut chunk = cta.grid_rank() as usize * warps + cta.warp_rank() as usize;
    while chunk * CHUNK < count {
        // The key and the sum of the segment that the last row has left open.
        let (mut open, mut sum) = (NO_KEY, 0.0_f32);
        let mut first = chunk * CHUNK;
        let end = count.min(first + CHUNK);
        while first < end {
            let i = first + lane as usize;
            let (mut of_keys, mut of_values) = ([[NO_KEY; 4]; ROWS], [[0.0_f32; 4]; ROWS]);
            match (keys.get_vectors::<ROWS, 32>(i), values.get_vectors::<ROWS, 32>(i)) {
                (Some(keys), Some(values)) => (of_keys, of_values) = (keys, values),
                _ => unroll::<ROWS>(|row| {
                    if let (Some(k), Some(v)) =
                        (keys.get_vector(i + 32 * row), values.get_vector(i + 32 * row))
                    {
                        (of_keys[row], of_values[row]) = (k, v);
                    }
                }),
            }
            unroll::<ROWS>(|row| {
                let (k, v) = (of_keys[row], of_values[row]);
                let is_one_run = k[0] == k[3];
                // The first run, the last run, and what lies between them.
                let (mut head, mut tail) = (v[0], v[3]);
                if is_one_run {
                    tail = (v[0] + v[1]) + (v[2] + v[3]);
                } else {
                    if k[1] == k[0] {
                        head += v[1];
                    } else if k[1] == k[3] {
                        tail += v[1];
                    } else {
                        flush(k[1], if k[2] == k[1] { v[1] + v[2] } else { v[1] });
                    }
                    if k[2] == k[0] {
                        head += v[2];
                    } else if k[2] == k[3] {
                        tail += v[2];
                    } else if k[2] != k[1] {
                        flush(k[2], v[2]);
                    }
                }

                let key_before = warp.shuffle_up(k[3], 1).unwrap_or(open);
                let goes_on = key_before == k[0];
                // Runs that go on from lane to lane are one: the scan does not pass a lane in which a run begins.
                let begins = !(goes_on && is_one_run);
                if lane == 0 && !begins {
                    tail += sum;
                }
                let heads = warp.ballot(begins).bits() | 1;
                let reach = (heads << (31 - lane)).leading_zeros();
                let mut upto = tail;
                unroll::<5>(|step| {
                    let lower = warp.shuffle_up(upto, 1 << step).unwrap_or(0.0);
                    if 1 << step <= reach {
                        upto += lower;
                    }
                });
                let before = warp.shuffle_up(upto, 1).unwrap_or(sum);
                // A segment ends in this vector, and one ends before it if this vector begins another.
                if goes_on {
                    if !is_one_run {
                        flush(k[0], head + before);
                    }
                } else {
                    flush(key_before, before);
                    if !is_one_run {
                        flush(k[0], head);
                    }
                }
                (open, sum) = (warp.shuffle(k[3], 31), warp.shuffle(upto, 31));
            });
            first += 32 * ROWS;
        }
        if lane == 0 {
            flush(open, sum);
        }
        chunk += cta.grid_size() as usize * warps;
    }

    let (_, rest) = keys.tiles::<4>();
    if let (0, Some(key), Some(value)) = (
        cta.grid_rank(),
        rest.get(cta.thread_rank() as usize),
        values.get(4 * count + cta.thread_rank() as usize),
    ) {
        flush(key, value);
    }
}
