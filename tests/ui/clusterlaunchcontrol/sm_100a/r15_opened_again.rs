//! A queue is opened once: the scope before may have ended with a refusal.

use ptx::clusterlaunchcontrol::WorkQueueMemory;
use ptx::group::Cta;

pub fn kernel(cta: &mut Cta, clusters: WorkQueueMemory) {
    clusters.scope(cta, |_cta, queue| queue.close());
    #[cfg(not(fixed))]
    clusters.scope(cta, |_cta, queue| queue.close());
}
