//! A queue does not leave its scope, which ends with the queue closed.

use ptx::clusterlaunchcontrol::ClusterQueue;
use ptx::launch::Cta;

pub fn kernel(cta: &mut Cta, queue: ClusterQueue) {
    queue.scope(cta, |_, queue| queue.close());
}
