//! A histogram of bytes: each warp counts by atomic operations in its own bins in shared memory, so conflicts are few.

use ptx::atomic::GlobalAtomics;
use ptx::global::Global;
use ptx::group::Cta;
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
#[ptx::kernel(threads = THREADS)]
pub fn byte_histogram(
    cta: Cta,
    #[shared] smem: Smem,
    input: Global<u8>,
    #[len(BINS)] totals: GlobalAtomics<u32, scope::Gpu>,
) {
    let rank = cta.thread_rank() as usize;
    let (first, step) = (cta.grid_thread_rank() as usize, cta.grid_thread_count() as usize);
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
