//! A histogram of bytes: counted by atomic operations in shared memory, each warp in bins of its own, so that conflicts stay few.

use ptx::atomic::GlobalAtomics;
use ptx::global::Global;
use ptx::launch::{Block, Cta};
use ptx::qualifier::{scope, sem};
use ptx::registers::unroll;
use ptx::shared::SharedArray;

const BINS: usize = 256;
const WARPS: usize = 8;
const THREADS: u32 = 32 * WARPS as u32;

ptx::shared_memory! {
    struct Smem { bins: SharedArray<u32, { WARPS * BINS }> }
}

/// output\[b\] += the number of bytes of the input that are b. Any row of CTAs of 256 threads.
///
/// # Safety
///
/// - called once by every thread, at the kernel's start.
/// - `input` is the address, aligned to 16 bytes, of `n` bytes of global memory that nobody writes until the grid ends.
/// - `output` is the address of 256 words that nobody but this grid uses until it ends.
#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn byte_histogram(input: *const u8, output: *mut u32, n: usize) {
    // SAFETY: the kernel's first call; the collective calls below depend on nothing.
    let (cta, smem, _) = unsafe { Cta::enter_with::<Smem, Block<THREADS>>() };
    // SAFETY: the contract above; the grid uses the output through this view alone.
    let (input, totals) =
        unsafe { (Global::from_raw(input, n), GlobalAtomics::<u32, scope::Gpu>::from_raw(output, BINS)) };
    let (rank, step) = (cta.thread_rank() as usize, (cta.grid_size() * THREADS) as usize);
    let first = (cta.grid_rank() * THREADS) as usize + rank;
    let of_warp = BINS * cta.warp_rank() as usize;

    cta.async_scope_last(smem.bins, |cta, bins| {
        let bins = bins.write(cta, |_| 0).into_atomic(cta);
        let count = |byte: u8| {
            if let Some(bin) = bins.atomic(of_warp + usize::from(byte)) {
                bin.add(1, sem::Relaxed);
            }
        };
        let mut v = first;
        while let Some(bytes) = input.get_vector(v) {
            unroll::<16>(|i| count(bytes[i]));
            v += step;
        }
        let (_, rest) = input.tiles::<16>();
        if let Some(byte) = rest.get(first) {
            count(byte);
        }

        let bins = bins.publish(cta);
        let mut sum = 0;
        unroll::<WARPS>(|warp| sum += bins.get(warp * BINS + rank).unwrap_or(0));
        if let Some(total) = totals.get(rank) {
            total.add(sum, sem::Relaxed);
        }
        bins.end()
    });
}
