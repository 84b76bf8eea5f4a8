//! A fence takes a scope; its name says the order.

use ptx::fence;
use ptx::qualifier::{sem, space};

pub fn kernel() {
    fence::acq_rel(sem::AcqRel);
    fence::acquire(space::Global);
    fence::release(sem::Release);
    fence::sc(sem::Sc);
    fence::proxy_tensormap_release(sem::Release);
}
