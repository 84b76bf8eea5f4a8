//! A histogram of bytes: each warp counts by atomic operations in its own bins in shared memory, so conflicts are few.

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

/// Adds to `output[b]` the number of bytes of the input that equal b.
///
/// Launch: a 1-D grid of any size, 256 threads per CTA.
///
/// Technique: a histogram that is privatized per warp. The CTA adds up its eight sets of bins before it adds to the output.
///
/// # Safety
///
/// - The grid has this launch shape. Every thread calls the function once, at the kernel's start.
/// - `input` is the 16-byte aligned address of `n` bytes of global memory, which no thread writes until the grid ends.
/// - `output` is the address of 256 words of global memory, which only this grid accesses until it ends.
#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn byte_histogram(input: *const u8, output: *mut u32, n: usize) {
    // SAFETY: clause 1 of `# Safety`. The collective calls below depend on no condition.
    let (cta, smem, _) = unsafe { Cta::enter_with::<Smem, Block<THREADS>>() };
    // SAFETY: clauses 2 and 3 of `# Safety`. All threads of the grid access the output through this view alone.
    let (input, totals) =
        unsafe { (Global::from_raw(input, n), GlobalAtomics::<u32, scope::Gpu>::from_raw(output, BINS)) };
    let (rank, step) = (cta.thread_rank() as usize, (cta.grid_size() * THREADS) as usize);
    let first = (cta.grid_rank() * THREADS) as usize + rank;
    let of_warp = BINS * cta.warp_rank() as usize;

    cta.finish(smem.bins, |cta, bins| {
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

        let bins = bins.publish().sync(cta);
        let mut sum = 0;
        unroll::<WARPS>(|warp| sum += bins.get(warp * BINS + rank).unwrap_or(0));
        if let Some(total) = totals.get(rank) {
            total.add(sum, sem::Relaxed);
        }
        bins.end()
    });
}
