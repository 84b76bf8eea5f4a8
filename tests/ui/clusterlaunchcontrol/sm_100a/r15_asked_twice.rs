//! A queue has one request at a time.

use ptx::clusterlaunchcontrol::{ClosedWorkQueue, Response, WorkQueue};
use ptx::group::Cta;

pub fn body<'s>(cta: &'s Cta, queue: WorkQueue<'s>) -> ClosedWorkQueue<'s> {
    #[cfg(not(fixed))]
    {
        let _request = queue.try_cancel(cta);
        queue.close()
    }
    #[cfg(fixed)]
    {
        let request = queue.try_cancel(cta);
        match request.wait(cta) {
            Response::Canceled { queue, .. } => queue.close(),
            Response::NoMore(closed) => closed,
        }
    }
}
