//! Column sums: each CTA adds up its rows in registers, then adds its sums to global memory by one bulk reduction
//! (`cp.reduce.async.bulk`).

use ptx::bulk::{self, GlobalReduce};
use ptx::global::Global;
use ptx::launch::{Block, Cta};
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
///
/// # Safety
///
/// - The grid has this launch shape. Every thread calls the function once, at the kernel's start.
/// - `input` and `output` are the 16-byte aligned addresses of `n` and of 512 elements of global memory. They do not overlap.
/// - Until the grid ends, no thread writes `input`, and only this grid accesses `output`.
#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn bulk_reduce_columns(input: *const u32, output: *mut u32, n: u32) {
    // SAFETY: clause 1 of `# Safety`. Conditions of collective calls depend on kernel arguments and the CTA's rank alone.
    let (cta, smem, _) = unsafe { Cta::enter_with::<Smem, Block<THREADS>>() };
    // SAFETY: clauses 2 and 3 of `# Safety`. The grid accesses `output` through these handles alone.
    let (input, sums) = unsafe {
        (Global::from_raw(input, n as usize), GlobalReduce::<_, COLUMNS>::from_raw(output, COLUMNS))
    };
    let Some(sums) = sums.get(0) else { return };
    let (mine, step) = (cta.thread_rank(), cta.grid_size() * THREADS);

    let mut sum = [0_u32; 4];
    let mut v = cta.grid_rank() * THREADS + mine;
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
