//! Column sums: each CTA adds up its rows in registers, then adds its sums to global memory by one bulk reduction
//! (`cp.reduce.async.bulk`).

use ptx::bulk::{self, GlobalReduce};
use ptx::global::Global;
use ptx::group::Cta;
use ptx::qualifier::op;
use ptx::shared::SharedArray;

/// Elements of a row.
const COLUMNS: usize = 512;
/// Threads of a CTA. Each thread has four columns.
const THREADS: u32 = 128;

ptx::shared_memory! {
    struct Smem { sums: SharedArray<u32, COLUMNS> }
}

/// Adds to `output[c]` the sum of column c of `input`, wrapping, for c < 512. `input` consists of whole rows of 512 elements, `n`
/// elements in all.
///
/// Launch: a 1-D grid of any size, 128 threads per CTA.
///
/// Technique: all CTAs reduce into the same row of global memory at the same time.
#[ptx::kernel(threads = THREADS)]
pub fn bulk_reduce_columns(
    cta: Cta,
    #[shared] smem: Smem,
    #[len(n)] input: Global<u32>,
    #[len(COLUMNS)] sums: GlobalReduce<u32, COLUMNS>,
    n: u32,
) {
    let Some(sums) = sums.get(0) else { return };
    let (mine, step) = (cta.thread_rank(), cta.grid_thread_count());

    let mut sum = [0_u32; 4];
    let mut v = cta.grid_thread_rank();
    while let Some(words) = input.get_vector(v as usize) {
        // Each thread keeps two vectors in flight.
        let more = input.get_vector((v + step) as usize).unwrap_or_default();
        sum = [0, 1, 2, 3].map(|i| sum[i].wrapping_add(words[i]).wrapping_add(more[i]));
        v += 2 * step;
    }
    cta.finish(smem.sums, |cta, tile| {
        let tile = tile.vector_stores();
        tile.set_vector(mine as usize, sum);
        bulk::reduce(cta, op::Add, tile.to_async().sync(cta), sums).commit(cta).wait_read(cta).end()
    });
}
