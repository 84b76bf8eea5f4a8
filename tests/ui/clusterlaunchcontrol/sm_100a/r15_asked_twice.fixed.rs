//! A queue asks once at a time.

use ptx::clusterlaunchcontrol::{ClosedQueue, WorkQueue};
use ptx::launch::Cta;

use ptx::clusterlaunchcontrol::Response;

pub fn body<'s>(cta: &'s Cta, queue: WorkQueue<'s>) -> ClosedQueue<'s> {
    let request = queue.request(cta);
    match request.wait(cta) {
        Response::Cancelled { queue, .. } => queue.close(),
        Response::NoMore(closed) => closed,
    }
}
