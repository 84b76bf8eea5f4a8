//! A refusal leaves nothing to ask with.

use ptx::clusterlaunchcontrol::{Response, ClosedQueue, WorkQueue};
use ptx::launch::Cta;

pub fn body<'s>(cta: &'s Cta, queue: WorkQueue<'s>) -> ClosedQueue<'s> {
    match queue.request(cta).wait(cta) {
        Response::NoMore(closed) => closed.request(cta),
        Response::Cancelled { queue, .. } => queue.close(),
    }
}
