//! Segmented sums within each warp: `match.any` makes groups of equal keys, each group reduces, and shuffles make a prefix sum.

use ptx::global::{Global, GlobalElementsMut};
use ptx::launch::{Block, Cta};

/// Computes two sums for each word, whose key is its low three bits. The first is the sum of the words of its warp with its key,
/// plus the number of such words on lower lanes. The second is the sum of the words of its warp up to and including the word. The
/// output is the exclusive or of both sums.
///
/// Launch: 3 CTAs of 112 threads (the last warp of each CTA has 16 threads). `n` is 336.
///
/// # Safety
///
/// - The grid has this launch shape. Every thread calls the function once, at the kernel's start.
/// - `input` and `output` are the 16-byte aligned addresses of `n` elements of global memory each. They do not overlap.
/// - Until the grid ends, no thread writes `input`, and only this grid accesses `output`.
#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn warp_segmented_sum(input: *const u32, output: *mut u32, n: u32) {
    // SAFETY: clause 1 of `# Safety`. The collective calls below depend on no condition of their group.
    let (cta, (), _) = unsafe { Cta::enter_with::<(), Block<112>>() };
    let warp = cta.warp();
    let i = cta.grid_rank() * cta.thread_count() + cta.thread_rank();
    // SAFETY: clauses 2 and 3 of `# Safety`. Every thread makes each handle once, with equal arguments.
    let (input, output) =
        unsafe { (Global::from_raw(input, n as usize), GlobalElementsMut::from_raw(output, n as usize)) };
    let value = input.get(i as usize).unwrap_or(0);

    let same_key = warp.partition_by(value & 7);
    let sum = same_key.reduce_add(value).wrapping_add(same_key.thread_rank());

    let mut prefix = value;
    for delta in [1, 2, 4, 8, 16] {
        prefix = prefix.wrapping_add(warp.shuffle_up(prefix, delta).unwrap_or(0));
    }
    if let Some((_, output)) = output.elements(&cta).next() {
        output.write(sum ^ prefix);
    }
}
