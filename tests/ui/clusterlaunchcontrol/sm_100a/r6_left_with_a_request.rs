//! A response is written to memory of the scope, which ends when it is there.

use ptx::clusterlaunchcontrol::WorkQueueMemory;
use ptx::launch::Cta;

pub fn kernel(cta: &mut Cta, clusters: WorkQueueMemory) {
    clusters.scope(cta, |cta, queue| queue.try_cancel(cta));
}
