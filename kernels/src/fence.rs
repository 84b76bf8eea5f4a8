//! A sum in one grid: each CTA leaves its part, and the last to finish adds the parts up.

use ptx::atomic::GlobalAtomics;
use ptx::fence;
use ptx::global::Global;
use ptx::launch::{Block, Cta};
use ptx::qualifier::{scope, sem};

/// With c CTAs: output\[b\] ← the sum of the words that CTA b takes, output\[c\] ← c, output\[c + 1\] ← the sum of all. The
/// output is zero before. Any row of CTAs of 128 threads; CTA b takes the words b, b + c, …
///
/// # Safety
///
/// - called once by every thread, at the kernel's start.
/// - `input` is the address, aligned to 16 bytes, of `n` words of global memory that nobody writes until the grid ends.
/// - `output` is the address of a word for each CTA, and two more, that nobody but this grid uses until it ends.
#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn fence_last_cta(input: *const u32, output: *mut u32, n: u32) {
    // SAFETY: the kernel's first call; the collective calls below depend on nothing; grids are rows.
    let (cta, (), _) = unsafe { Cta::enter_with::<(), Block<128>>() };
    let ctas = cta.grid_size() as usize;
    // SAFETY: the contract above; the grid uses the output through this view alone.
    let (input, output) = unsafe {
        (Global::from_raw(input, n as usize), GlobalAtomics::<u32, scope::Gpu>::from_raw(output, ctas + 2))
    };

    let mut sum = 0_u32;
    let mut i = cta.grid_rank() as usize + ctas * cta.thread_rank() as usize;
    while let Some(word) = input.get(i) {
        sum = sum.wrapping_add(word);
        i += ctas * cta.thread_count() as usize;
    }
    if let Some(part) = output.get(cta.grid_rank() as usize) {
        part.add(sum, sem::Relaxed);
    }
    // All parts of this CTA's sum come before its thread 0, by the barrier, and so before its ticket, by the fence.
    cta.sync();
    if cta.is_leader() {
        fence::acq_rel(scope::Gpu);
        let ticket = output.get(ctas).map_or(0, |tickets| tickets.fetch_add(1, sem::Relaxed));
        if ticket as usize == ctas - 1 {
            fence::acq_rel(scope::Gpu);
            let part = |b: usize| output.get(b).map_or(0, |part| part.fetch_add(0, sem::Relaxed));
            let total = (0..ctas).fold(0_u32, |total, b| total.wrapping_add(part(b)));
            if let Some(all) = output.get(ctas + 1) {
                all.add(total, sem::Relaxed);
            }
        }
    }
}
