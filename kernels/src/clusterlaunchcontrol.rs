//! Persistent CTAs: one that has done its work takes over that of a CTA which has not started. For sm_100 and later; not run
//! on a GPU yet.

use ptx::atomic::GlobalAtomics;
use ptx::clusterlaunchcontrol::{Response, WorkQueueMemory};
use ptx::global::Global;
use ptx::launch::Cta;
use ptx::qualifier::{scope, sem};

ptx::shared_memory! {
    struct Smem { clusters: WorkQueueMemory }
}

/// output\[i\] += 2 input\[i\] + 1 for i < n. A grid in x alone, without clusters, of a thread for each word.
///
/// # Safety
///
/// - called once by every thread, at the kernel's start.
/// - `input` is the address, aligned to 16 bytes, of `n` words of global memory that nobody writes until the grid ends.
/// - `output` is the address of `n` words that nobody but this grid uses until it ends.
#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn clusterlaunchcontrol_scale(input: *const u32, output: *mut u32, n: u32) {
    // SAFETY: the kernel's first call; control flow depends on answers, which all threads of the CTA get alike.
    let (mut cta, smem, _) = unsafe { Cta::enter::<Smem>() };
    // SAFETY: the contract above; the grid uses the output through this view alone.
    let (input, output) = unsafe {
        (Global::from_raw(input, n as usize), GlobalAtomics::<u32, scope::Gpu>::from_raw(output, n as usize))
    };

    smem.clusters.scope(&mut cta, |cta, mut queue| {
        let mut block = cta.grid_rank();
        loop {
            // Under way while this block is worked on.
            let request = queue.try_cancel(cta);
            let i = block as usize * cta.thread_count() as usize + cta.thread_rank() as usize;
            if let (Some(word), Some(sum)) = (input.get(i), output.get(i)) {
                sum.add(word.wrapping_mul(2).wrapping_add(1), sem::Relaxed);
            }
            match request.wait(cta) {
                Response::Cancelled { first_ctaid: [x, _, _], queue: next } => (block, queue) = (x, next),
                Response::NoMore(closed) => return closed,
            }
        }
    });
}
