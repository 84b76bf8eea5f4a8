//! A scope ends with its own handles: handles of another scope do not replace them, whichever scope ends first.

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
