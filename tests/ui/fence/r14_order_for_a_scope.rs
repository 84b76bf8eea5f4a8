//! A fence takes a scope; its name says the order.

use ptx::fence;
use ptx::qualifier::{scope, sem, space};

pub fn kernel() {
    #[cfg(not(fixed))]
    fence::acq_rel(sem::AcqRel);
    #[cfg(not(fixed))]
    fence::acquire(space::Global);
    #[cfg(not(fixed))]
    fence::release(sem::Release);
    #[cfg(not(fixed))]
    fence::sc(sem::Sc);
    #[cfg(fixed)]
    fence::acq_rel(scope::Gpu);
    #[cfg(fixed)]
    fence::acquire(scope::Gpu);
    #[cfg(fixed)]
    fence::release(scope::Cta);
    #[cfg(fixed)]
    fence::sc(scope::Sys);
}
