//! Each reduction and scan (CUB's `BlockReduce`, `WarpScan`, …) of a CTA, of its warps, and of groups of lanes.

use ptx::global::{Global, GlobalElementsMut};
use ptx::group::Cta;
use ptx::reduce::ReduceMemory;

ptx::shared_memory! {
    struct Smem { words: ReduceMemory<u32>, floats: ReduceMemory<f32>, longs: ReduceMemory<u64>, doubles: ReduceMemory<f64> }
}

/// Composes two affine maps `x * high + low`, of 16 bits each: an operation that is associative, but not commutative.
#[inline(always)]
fn then(first: u32, second: u32) -> u32 {
    let (a, b) = (first >> 16, first & 0xffff);
    let (c, d) = (second >> 16, second & 0xffff);
    a.wrapping_mul(c) << 16 | (b.wrapping_mul(c).wrapping_add(d) & 0xffff)
}

/// Computes 44 results of each word of the input; `gpu/src/math_checks.rs` lists them. Each thread has one word. The output has
/// the first result of each thread, then the second of each thread, and so on.
///
/// Launch: a 1-D grid with `n` threads in all, in CTAs of any size.
#[ptx::kernel(max_threads = 1024)]
pub fn cta_reductions(
    cta: Cta,
    #[shared] smem: Smem,
    #[len(n)] input: Global<u32>,
    output: GlobalElementsMut<u32>,
    n: u32,
) {
    let Smem { mut words, mut floats, mut longs, mut doubles } = smem;
    let (cta, warp) = (&cta, cta.warp());
    let word = input.get(cta.grid_thread_rank() as usize).unwrap_or(0);
    let (whole, float) = ((word % 1024) as f32 - 512.0, f32::from_bits(word));
    let (long, double) = (u64::from(word) << 29 ^ u64::from(!word), f64::from(whole));

    // Each thread has one element of every `n`: the grid has `n` threads.
    let mut outputs = output.elements(cta);
    let mut put = |result: u32| {
        if let Some((_, element)) = outputs.next() {
            element.write(result);
        }
    };
    macro_rules! put {
        ($( $result:expr ),* $(,)?) => { $( put($result); )* };
    }
    macro_rules! put_64 {
        ($( $result:expr ),* $(,)?) => { $( let result: u64 = $result; put!(result as u32, (result >> 32) as u32); )* };
    }
    macro_rules! put_pair {
        ($( $pair:expr ),* $(,)?) => { $( let (one, all) = $pair; put!(one, all); )* };
    }
    // Results 0 to 6.
    put!(words.reduce_add(cta, word), words.reduce_min(cta, word), words.reduce_max(cta, word));
    put!(
        words.reduce_and(cta, word | 0xffff),
        words.reduce_or(cta, word & 0xff0),
        words.reduce_xor(cta, word)
    );
    put!(words.reduce(cta, word, |a, b| a ^ b));
    // Results 7 to 14.
    put_pair!(words.inclusive_sum(cta, word), words.exclusive_sum(cta, word));
    put_pair!(words.inclusive_scan(cta, word, then));
    let (before, all) = words.exclusive_scan(cta, word, then);
    put!(before.unwrap_or(7), all);
    // Results 15 to 21.
    put!(floats.reduce_add(cta, whole).to_bits(), floats.reduce(cta, whole, |a, b| a + b).to_bits());
    put!(floats.reduce_min(cta, float).to_bits(), floats.reduce_max(cta, float).to_bits());
    let ((upto, _), (before, all)) = (floats.inclusive_sum(cta, whole), floats.exclusive_sum(cta, whole));
    put!(upto.to_bits(), before.to_bits(), all.to_bits());
    // Results 22 to 31.
    put_64!(longs.reduce_add(cta, long), longs.reduce_min(cta, long), longs.reduce_max(cta, long));
    put_64!(doubles.reduce_add(cta, double).to_bits(), doubles.reduce_min(cta, double).to_bits());
    // Results 32 to 37.
    put!(warp.reduce_add(whole).to_bits(), warp.reduce_max(word.cast_signed()).cast_unsigned());
    put!(warp.inclusive_sum(whole).to_bits(), warp.exclusive_sum(word));
    put!(warp.exclusive_scan(word, then).unwrap_or(7), warp.reduce_min(float).to_bits());
    // Results 38 to 41.
    let group = warp.partition_by(word & 3);
    put!(group.reduce_add(whole).to_bits(), group.inclusive_scan(word, then));
    put!(group.exclusive_sum(whole).to_bits(), group.reduce_max(whole).to_bits());
    // Results 42 and 43.
    let tile = warp.tile::<8>();
    put!(tile.reduce_add(whole).to_bits(), tile.exclusive_scan(word, then).unwrap_or(7));
}
