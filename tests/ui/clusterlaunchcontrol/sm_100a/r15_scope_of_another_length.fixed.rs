//! A scope is one call: a handle of another is no substitute, whichever of the two ends first.

use ptx::clusterlaunchcontrol::{ClosedWorkQueue, WorkQueue, Request};

pub fn keep_queue<'s>(x: WorkQueue<'s>) -> WorkQueue<'s> {
    x
}

pub fn keep_request<'s>(x: Request<'s>) -> Request<'s> {
    x
}

pub fn keep_closed<'s>(x: ClosedWorkQueue<'s>) -> ClosedWorkQueue<'s> {
    x
}
