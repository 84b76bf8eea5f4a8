//! A scope is one call: a handle of another is no substitute, whichever of the two ends first.

use ptx::clusterlaunchcontrol::{Closed, Queue, Request};

pub fn keep_queue<'s>(x: Queue<'s>) -> Queue<'s> {
    x
}

pub fn keep_request<'s>(x: Request<'s>) -> Request<'s> {
    x
}

pub fn keep_closed<'s>(x: Closed<'s>) -> Closed<'s> {
    x
}
