//! `barrier.cta` is `.aligned` or not.

use ptx::qualifier::{convergence, scope, threads};
use ptx::raw;

pub fn kernel() {
    // SAFETY: every thread of the CTA makes this call.
    #[cfg(not(fixed))]
    unsafe {
        raw::barrier_cta_sync(scope::Cta, 0, threads::All)
    }
    // SAFETY: every thread of the CTA makes this call.
    #[cfg(fixed)]
    unsafe {
        raw::barrier_cta_sync(convergence::Unaligned, 0, threads::All)
    }
}
