//! A queue does not leave its scope, which ends with the queue closed.

use ptx::clusterlaunchcontrol::{ClusterQueue, Queue};
use ptx::launch::Cta;

pub fn kernel(cta: &mut Cta, queue: ClusterQueue) {
    let mut kept: Option<Queue> = None;
    queue.scope(cta, |_, queue| {
        kept = Some(queue);
        loop {}
    });
}
