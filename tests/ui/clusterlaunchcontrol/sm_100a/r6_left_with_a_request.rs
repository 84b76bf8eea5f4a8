//! A response is written to memory of the scope, so the scope ends after the response has arrived.

use ptx::clusterlaunchcontrol::{Response, WorkQueueMemory};
use ptx::group::Cta;

pub fn kernel(cta: &mut Cta, clusters: WorkQueueMemory) {
    #[cfg(not(fixed))]
    clusters.scope(cta, |cta, queue| queue.try_cancel(cta));
    #[cfg(fixed)]
    clusters.scope(cta, |cta, queue| match queue.try_cancel(cta).wait(cta) {
        Response::Canceled { queue, .. } => queue.close(),
        Response::NoMore(closed) => closed,
    });
}
