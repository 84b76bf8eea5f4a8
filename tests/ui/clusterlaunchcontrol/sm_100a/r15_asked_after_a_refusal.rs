//! After a refusal no request is possible.

use ptx::clusterlaunchcontrol::{ClosedWorkQueue, Response, WorkQueue};
use ptx::group::Cta;

pub fn body<'s>(cta: &'s Cta, queue: WorkQueue<'s>) -> ClosedWorkQueue<'s> {
    #[cfg(not(fixed))]
    match queue.try_cancel(cta).wait(cta) {
        Response::NoMore(closed) => closed.try_cancel(cta),
        Response::Canceled { queue, .. } => queue.close(),
    }
    #[cfg(fixed)]
    match queue.try_cancel(cta).wait(cta) {
        Response::NoMore(closed) => closed,
        Response::Canceled { queue, .. } => queue.close(),
    }
}
