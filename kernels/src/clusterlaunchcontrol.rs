//! Persistent CTAs by work stealing (`clusterlaunchcontrol.try_cancel`): a CTA that is done takes over the work of a CTA that
//! has not started. For sm_100 and later: only the interpreter has run the kernel, no GPU.

use ptx::atomic::GlobalAtomics;
use ptx::clusterlaunchcontrol::{Response, WorkQueueMemory};
use ptx::global::Global;
use ptx::launch::Cta;
use ptx::qualifier::{scope, sem};

ptx::shared_memory! {
    struct Smem { clusters: WorkQueueMemory }
}

/// Adds 2 * `input[i]` + 1 to `output[i]`, for i < n.
///
/// Launch: a 1-D grid without clusters, one thread per word.
///
/// # Safety
///
/// - The grid has this launch shape. Every thread calls the function once, at the kernel's start.
/// - `input` is the 16-byte aligned address of `n` words of global memory, which no thread writes until the grid ends.
/// - `output` is the address of `n` words of global memory, which only this grid accesses until it ends.
#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn clusterlaunchcontrol_scale(input: *const u32, output: *mut u32, n: u32) {
    // SAFETY: clause 1 of `# Safety`. Conditions of collective calls depend on responses alone, which are equal in the CTA.
    let (mut cta, smem, _) = unsafe { Cta::enter::<Smem>() };
    // SAFETY: clauses 2 and 3 of `# Safety`. All threads of the grid access the output through this view alone.
    let (input, output) = unsafe {
        (Global::from_raw(input, n as usize), GlobalAtomics::<u32, scope::Gpu>::from_raw(output, n as usize))
    };

    smem.clusters.scope(&mut cta, |cta, mut queue| {
        let mut block = cta.grid_rank();
        loop {
            // The request is in flight while the CTA works on this block.
            let request = queue.try_cancel(cta);
            let i = block as usize * cta.thread_count() as usize + cta.thread_rank() as usize;
            if let (Some(word), Some(sum)) = (input.get(i), output.get(i)) {
                sum.add(word.wrapping_mul(2).wrapping_add(1), sem::Relaxed);
            }
            match request.wait(cta) {
                Response::Canceled { first_ctaid: [x, _, _], queue: next } => (block, queue) = (x, next),
                Response::NoMore(closed) => return closed,
            }
        }
    });
}
