//! A queue stays in its scope, which ends with the queue closed.

use ptx::clusterlaunchcontrol::{WorkQueue, WorkQueueMemory};
use ptx::group::Cta;

pub fn kernel(cta: &mut Cta, queue: WorkQueueMemory) {
    #[cfg(not(fixed))]
    let mut kept: Option<WorkQueue> = None;
    #[cfg(not(fixed))]
    queue.scope(cta, |_, queue| {
        kept = Some(queue);
        loop {}
    });
    #[cfg(fixed)]
    queue.scope(cta, |_, queue| queue.close());
}
