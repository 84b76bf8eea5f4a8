//! A queue stays in its scope, which ends with the queue closed.

use ptx::clusterlaunchcontrol::{WorkQueueMemory, WorkQueue};
use ptx::launch::Cta;

pub fn kernel(cta: &mut Cta, queue: WorkQueueMemory) {
    let mut kept: Option<WorkQueue> = None;
    queue.scope(cta, |_, queue| {
        kept = Some(queue);
        loop {}
    });
}
