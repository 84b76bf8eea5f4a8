//! Atomic operations (`atom`, `red`): a histogram that is privatized in shared memory, and a kernel that makes each operation.

use ptx::atomic::GlobalAtomics;
use ptx::global::Global;
use ptx::group::Cta;
use ptx::qualifier::{B128, scope, sem};
use ptx::shared::SharedArray;
use ptx::trap;

const BINS: usize = 256;

ptx::shared_memory! {
    struct Histogram { bins: SharedArray<u32, BINS> }
}

/// Adds to `output[b]` the number of words of the input whose low byte is b.
///
/// Launch: 4 CTAs of 128 threads. A 1-D grid of any other size works if `n` plus the number of threads of the grid is less than
/// 2^32.
///
/// Technique: a privatized histogram. Each CTA counts in shared memory, where conflicts cost little, and then adds its 256 counts
/// to the output.
#[ptx::kernel(threads = 128)]
pub fn atomic_histogram(
    cta: Cta,
    #[shared] smem: Histogram,
    #[len(n)] input: Global<u32>,
    #[len(BINS)] totals: GlobalAtomics<u32, scope::Gpu>,
    n: u32,
) {
    cta.finish(smem.bins, |cta, bins| {
        let bins = bins.write(cta, |_| 0).into_atomic(cta);
        for_each_word::<4>(cta, input, |word| {
            if let Some(bin) = bins.atomic(word as usize % BINS) {
                bin.add(1, sem::Relaxed);
            }
        });
        let bins = bins.publish().sync(cta);
        let mut b = cta.thread_rank() as usize;
        while let (Some(count), Some(total)) = (bins.get(b), totals.get(b)) {
            total.add(count, sem::Relaxed);
            b += cta.thread_count() as usize;
        }
        bins.end()
    });
}

ptx::shared_memory! {
    struct Common { bits: SharedArray<u32, 4> }
}

/// Applies each operation to the words of the input. The results in global memory start at zero; the function of the same name in
/// `gpu/src/kernels.rs` computes what they become.
///
/// Launch: 4 CTAs of 128 threads.
///
/// # Safety
///
/// `output` is the 16-byte aligned address of 28 words of global memory, which only this grid accesses until it ends. The kernel
/// divides them into views of eight types, and a handle of memory has elements of one type.
#[ptx::kernel(threads = 128)]
pub unsafe fn atomic_operations(cta: Cta, #[shared] smem: Common, input: Global<u32>, output: *mut u32) {
    // SAFETY: the clauses on `output` in `# Safety`. The views cover different words, are aligned to their types, and are the
    // only ones.
    let (words, floats, longs, pairs, vectors, doubles, shorts) = unsafe {
        (
            GlobalAtomics::<u32, scope::Gpu>::from_raw(output, 10),
            GlobalAtomics::<f32, scope::Gpu>::from_raw(output.add(10).cast(), 1),
            GlobalAtomics::<i64, scope::Gpu>::from_raw(output.add(12).cast(), 2),
            GlobalAtomics::<B128, scope::Gpu>::from_raw(output.add(16).cast(), 1),
            GlobalAtomics::<f32, scope::Gpu>::from_raw(output.add(20).cast(), 4),
            GlobalAtomics::<f64, scope::Gpu>::from_raw(output.add(24).cast(), 1),
            GlobalAtomics::<u16, scope::Gpu>::from_raw(output.add(26).cast(), 1),
        )
    };
    // SAFETY: word 27 is in no other view, and only this grid accesses it (`# Safety`).
    let least = unsafe { GlobalAtomics::<i32, scope::Gpu>::from_raw(output.add(27).cast(), 1) };

    cta.finish(smem.bits, |cta, bits| {
        let bits = bits.write(cta, |_| !0).into_atomic(cta);
        let (Some(sum), Some(greatest)) = (words.get(0), words.get(1)) else { trap() };
        let (Some(up), Some(down)) = (words.get(2), words.get(3)) else { trap() };
        let (Some(any), Some(odd)) = (words.get(4), words.get(5)) else { trap() };
        let (Some(squares), Some(clear)) = (words.get(6), words.get(7)) else { trap() };
        let (Some(tickets), Some(seen)) = (words.get(8), words.get(9)) else { trap() };
        let (Some(float), Some(double)) = (floats.get(0), doubles.get(0)) else { trap() };
        let (Some(long), Some(longest)) = (longs.get(0), longs.get(1)) else { trap() };
        let (Some(pair), Some(short)) = (pairs.get(0), shorts.get(0)) else { trap() };
        let Some(vector) = vectors.vectors::<4>().and_then(|vectors| vectors.get(0)) else { trap() };
        let (Some(least), Some(all)) = (least.get(0), bits.atomic(0)) else { trap() };

        for_each_word::<1>(cta, input, |word| {
            sum.add(word, sem::Relaxed);
            greatest.max(word, sem::Relaxed);
            least.min(word as i32, sem::Relaxed);
            up.inc(9, sem::Relaxed);
            down.dec(9, sem::Relaxed);
            any.or(word & 0x5555_5555, sem::Relaxed);
            odd.xor(word, sem::Relaxed);
            all.and(word | 0xff, sem::Relaxed);
            // Integers below 2^24: the sums are exact in any order.
            float.add((word & 0xff) as f32, sem::Relaxed);
            double.add(word as f64, sem::Relaxed);
            vector.add([1.0, (word & 1) as f32, (word & 2) as f32, (word & 4) as f32], sem::Relaxed);
            long.add(word as i64 - (1 << 31), sem::Relaxed);
            longest.max((word as i64) << 20, sem::Relaxed);

            let (square, of_pair) = (word.wrapping_mul(word), u64::from(word) << 7);
            let now = squares.fetch_or(0, sem::Relaxed);
            squares.fetch_update(now, |now| now.wrapping_add(square), sem::Relaxed);
            short.fetch_update(0, |now| now.wrapping_add(1), sem::Relaxed);
            let update = |now: B128| B128 { lo: now.lo + 1, hi: now.hi ^ of_pair };
            pair.fetch_update(B128::default(), update, sem::Relaxed);
        });

        // The CTA that draws the last ticket reads the sum of all CTAs: each CTA adds, passes the barrier of `publish`, and draws
        // a ticket with acquire and release.
        let bits = bits.publish().sync(cta);
        if cta.is_leader() {
            clear.or(!bits.get(0).unwrap_or(0), sem::Relaxed);
            if tickets.fetch_inc(cta.grid_size() - 1, sem::AcqRel) == cta.grid_size() - 1 {
                seen.swap(sum.fetch_add(0, sem::Relaxed), sem::Relaxed);
            }
        }
        bits.end()
    });
}

/// Calls `f` with each word of this thread's share: the words of the input are dealt out to all threads of the grid.
#[inline(always)]
fn for_each_word<const N: usize>(cta: &Cta, input: Global<u32>, f: impl FnMut(u32)) {
    input.for_each::<N>(cta.grid_thread_rank(), cta.grid_thread_count(), f);
}
