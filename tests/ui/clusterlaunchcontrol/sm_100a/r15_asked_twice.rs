//! A queue has one request at a time.

use ptx::clusterlaunchcontrol::{ClosedWorkQueue, WorkQueue};
use ptx::launch::Cta;

pub fn body<'s>(cta: &'s Cta, queue: WorkQueue<'s>) -> ClosedWorkQueue<'s> {
    let _request = queue.try_cancel(cta);
    queue.close()
}
