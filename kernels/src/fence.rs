//! A sum in one grid by fences (`__threadfence()`): each CTA stores its partial sum, and the last CTA to finish adds up the
//! partial sums.

use ptx::atomic::GlobalAtomics;
use ptx::fence;
use ptx::global::Global;
use ptx::group::Cta;
use ptx::qualifier::{scope, sem};
use ptx::trap;

/// In a grid of c CTAs, `output[b]` ← the sum of the words of CTA b, `output[c]` ← c, and `output[c + 1]` ← the sum of all words.
/// The output is zero before the launch. CTA b has the words b, b + c, ….
///
/// Launch: a 1-D grid of any size, 128 threads per CTA.
#[ptx::kernel(threads = 128)]
pub fn fence_last_cta(
    cta: Cta,
    #[len(n)] input: Global<u32>,
    output: GlobalAtomics<u32, scope::Gpu>,
    n: u32,
) {
    let ctas = cta.grid_size() as usize;
    // The compiler then checks no index into the output.
    if output.len() < ctas + 2 {
        trap();
    }
    let mut sum = 0_u32;
    let mut i = cta.grid_rank() as usize + ctas * cta.thread_rank() as usize;
    while let Some(word) = input.get(i) {
        sum = sum.wrapping_add(word);
        i += ctas * cta.thread_count() as usize;
    }
    if let Some(part) = output.get(cta.grid_rank() as usize) {
        part.add(sum, sem::Relaxed);
    }
    // The barrier orders the additions of all threads of the CTA before the leader's fence, and the fence before the leader's
    // ticket.
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
