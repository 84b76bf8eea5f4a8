//! A queue has one request at a time.

use ptx::clusterlaunchcontrol::{ClosedWorkQueue, WorkQueue};
use ptx::launch::Cta;

use ptx::clusterlaunchcontrol::Response;

pub fn body<'s>(cta: &'s Cta, queue: WorkQueue<'s>) -> ClosedWorkQueue<'s> {
    let request = queue.try_cancel(cta);
    match request.wait(cta) {
        Response::Canceled { queue, .. } => queue.close(),
        Response::NoMore(closed) => closed,
    }
}
