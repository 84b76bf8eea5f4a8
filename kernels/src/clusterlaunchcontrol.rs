//! Persistent CTAs by work stealing (`clusterlaunchcontrol.try_cancel`): a CTA that is done takes over the work of a CTA that
//! has not started. For sm_100 and later: only the interpreter has run the kernel, no GPU.

use ptx::atomic::GlobalAtomics;
use ptx::clusterlaunchcontrol::{Response, WorkQueueMemory};
use ptx::global::Global;
use ptx::group::Cta;
use ptx::qualifier::{scope, sem};

ptx::shared_memory! {
    struct Smem { clusters: WorkQueueMemory }
}

/// Adds 2 * `input[i]` + 1 to `output[i]`, for i < n.
///
/// Launch: a 1-D grid without clusters, one thread per word.
#[ptx::kernel(threads = 128)]
pub fn clusterlaunchcontrol_scale(
    mut cta: Cta,
    #[shared] smem: Smem,
    input: Global<u32>,
    output: GlobalAtomics<u32, scope::Gpu>,
) {
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
