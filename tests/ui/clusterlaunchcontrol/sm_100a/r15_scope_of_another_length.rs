//! A scope is one call: a handle of another is no substitute, whichever of the two ends first.

use ptx::clusterlaunchcontrol::{Closed, Queue, Request};

pub fn shorten_queue<'short, 'long: 'short>(x: Queue<'long>) -> Queue<'short> {
    x
}

pub fn lengthen_queue<'short, 'long: 'short>(x: Queue<'short>) -> Queue<'long> {
    x
}

pub fn shorten_request<'short, 'long: 'short>(x: Request<'long>) -> Request<'short> {
    x
}

pub fn lengthen_request<'short, 'long: 'short>(x: Request<'short>) -> Request<'long> {
    x
}

pub fn shorten_closed<'short, 'long: 'short>(x: Closed<'long>) -> Closed<'short> {
    x
}

pub fn lengthen_closed<'short, 'long: 'short>(x: Closed<'short>) -> Closed<'long> {
    x
}
