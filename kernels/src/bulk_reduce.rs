//! Column sums: each CTA adds its rows up in registers, and adds its sums to those of the others by one bulk reduction.

use ptx::bulk::{self, GlobalReduce};
use ptx::global::Global;
use ptx::launch::{Block, Cta};
use ptx::qualifier::op;
use ptx::shared::SharedArray;

/// Elements of a row.
const COLUMNS: usize = 512;
/// Threads of a CTA: each has four columns.
const THREADS: u32 = 128;

ptx::shared_memory! {
    struct Smem { sums: SharedArray<u32, COLUMNS> }
}

/// `output[c]` ← `output[c]` + the sum of column `c` of `input`, wrapping, for c < 512. `input` has whole rows of 512 elements,
/// `n` in all.
///
/// All CTAs reduce into the one row at the same time. Any row of CTAs of 128 threads, `output` being zero.
///
/// # Safety
///
/// - called once by every thread, at the kernel's start.
/// - `input` and `output` are the addresses, aligned to 16 bytes, of `n` and 512 elements of global memory, which do not overlap.
/// - until the grid ends nobody writes `input`, and nobody else uses `output`.
#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn bulk_reduce_columns(input: *const u32, output: *mut u32, n: u32) {
    // SAFETY: the kernel's first call; below, control flow depends on the kernel's arguments and the CTA's rank alone.
    let (cta, smem, _) = unsafe { Cta::enter_with::<Smem, Block<THREADS>>() };
    // SAFETY: the contract above; the grid accesses `output` through such handles alone.
    let (input, sums) = unsafe {
        (Global::from_raw(input, n as usize), GlobalReduce::<_, COLUMNS>::from_raw(output, COLUMNS))
    };
    let Some(sums) = sums.get(0) else { return };
    let (mine, step) = (cta.thread_rank(), cta.grid_size() * THREADS);

    let mut sum = [0_u32; 4];
    let mut v = cta.grid_rank() * THREADS + mine;
    while let Some(words) = input.get_vector(v as usize) {
        // Two vectors of each thread are under way at a time.
        let more = input.get_vector((v + step) as usize).unwrap_or_default();
        sum = [0, 1, 2, 3].map(|i| sum[i].wrapping_add(words[i]).wrapping_add(more[i]));
        v += 2 * step;
    }
    cta.async_scope_last(smem.sums, |cta, tile| {
        let tile = tile.vector_stores();
        tile.set_vector(mine as usize, sum);
        bulk::reduce(cta, op::Add, tile.to_async(cta), sums).commit(cta).end(cta)
    });
}
