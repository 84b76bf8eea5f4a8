//! A response is written to memory of the scope, so the scope ends after the response has arrived.

use ptx::clusterlaunchcontrol::WorkQueueMemory;
use ptx::launch::Cta;

pub fn kernel(cta: &mut Cta, clusters: WorkQueueMemory) {
    clusters.scope(cta, |cta, queue| queue.try_cancel(cta));
}
