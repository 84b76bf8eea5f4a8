//! A queue asks once at a time.

use ptx::clusterlaunchcontrol::{ClosedQueue, WorkQueue};
use ptx::launch::Cta;

pub fn body<'s>(cta: &'s Cta, queue: WorkQueue<'s>) -> ClosedQueue<'s> {
    let _request = queue.request(cta);
    queue.close()
}
