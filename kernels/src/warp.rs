//! Sums by key within each warp: a match makes the groups, each group reduces, a scan by shuffles gives what lies before.

use ptx::global::{Global, GlobalElementsMut};
use ptx::launch::{Block, Cta};

/// For each word of the input, whose key is its low three bits: the sum of the words of its warp with its key, plus the
/// number of such words on lower lanes, exclusive or the sum of all words of its warp up to and with its own.
///
/// Grid: 3 CTAs of 112 threads (the last warp of each is half a warp). `n` is 336.
///
/// # Safety
///
/// - called once by every thread, at the kernel's start.
/// - `input` and `output` are the addresses, aligned to 16 bytes, of `n` elements of global memory each, which do not overlap;
///   until the grid ends nobody writes `input`, and nobody else uses `output`.
#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn warp_segmented_sum(input: *const u32, output: *mut u32, n: u32) {
    // SAFETY: the kernel's first call; below, the threads of a group make the same calls on it.
    let (cta, (), _) = unsafe { Cta::enter_with::<(), Block<112>>() };
    let warp = cta.warp();
    let i = cta.grid_rank() * cta.thread_count() + cta.thread_rank();
    // SAFETY: the contract above; every thread makes the same handles, once.
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
