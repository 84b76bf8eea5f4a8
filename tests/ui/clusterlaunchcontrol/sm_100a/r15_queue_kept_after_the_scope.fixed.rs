//! A queue stays in its scope, which ends with the queue closed.

use ptx::clusterlaunchcontrol::WorkQueueMemory;
use ptx::launch::Cta;

pub fn kernel(cta: &mut Cta, queue: WorkQueueMemory) {
    queue.scope(cta, |_, queue| queue.close());
}
