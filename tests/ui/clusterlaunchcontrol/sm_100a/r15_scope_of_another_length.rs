//! A scope ends with its own handles: handles of another scope do not replace them, whichever scope ends first.

use ptx::clusterlaunchcontrol::{ClosedWorkQueue, Request, WorkQueue};

#[cfg(not(fixed))]
pub fn shorten_queue<'short, 'long: 'short>(x: WorkQueue<'long>) -> WorkQueue<'short> {
    x
}

#[cfg(not(fixed))]
pub fn lengthen_queue<'short, 'long: 'short>(x: WorkQueue<'short>) -> WorkQueue<'long> {
    x
}

#[cfg(not(fixed))]
pub fn shorten_request<'short, 'long: 'short>(x: Request<'long>) -> Request<'short> {
    x
}

#[cfg(not(fixed))]
pub fn lengthen_request<'short, 'long: 'short>(x: Request<'short>) -> Request<'long> {
    x
}

#[cfg(not(fixed))]
pub fn shorten_closed<'short, 'long: 'short>(x: ClosedWorkQueue<'long>) -> ClosedWorkQueue<'short> {
    x
}

#[cfg(not(fixed))]
pub fn lengthen_closed<'short, 'long: 'short>(x: ClosedWorkQueue<'short>) -> ClosedWorkQueue<'long> {
    x
}

#[cfg(fixed)]
pub fn keep_queue<'s>(x: WorkQueue<'s>) -> WorkQueue<'s> {
    x
}

#[cfg(fixed)]
pub fn keep_request<'s>(x: Request<'s>) -> Request<'s> {
    x
}

#[cfg(fixed)]
pub fn keep_closed<'s>(x: ClosedWorkQueue<'s>) -> ClosedWorkQueue<'s> {
    x
}
