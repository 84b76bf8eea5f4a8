//! A scope ends with its own handles: handles of another scope do not replace them, whichever scope ends first.

use ptx::clusterlaunchcontrol::{ClosedWorkQueue, WorkQueue, Request};

pub fn shorten_queue<'short, 'long: 'short>(x: WorkQueue<'long>) -> WorkQueue<'short> {
    x
}

pub fn lengthen_queue<'short, 'long: 'short>(x: WorkQueue<'short>) -> WorkQueue<'long> {
    x
}

pub fn shorten_request<'short, 'long: 'short>(x: Request<'long>) -> Request<'short> {
    x
}

pub fn lengthen_request<'short, 'long: 'short>(x: Request<'short>) -> Request<'long> {
    x
}

pub fn shorten_closed<'short, 'long: 'short>(x: ClosedWorkQueue<'long>) -> ClosedWorkQueue<'short> {
    x
}

pub fn lengthen_closed<'short, 'long: 'short>(x: ClosedWorkQueue<'short>) -> ClosedWorkQueue<'long> {
    x
}
