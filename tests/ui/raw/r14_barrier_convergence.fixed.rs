//! `barrier.cta` is `.aligned` or not.

use ptx::qualifier::{convergence, threads};
use ptx::raw;

pub fn kernel() {
    // SAFETY: every thread of the CTA makes this call.
    unsafe { raw::barrier_cta_sync(convergence::Unaligned, 0, threads::All) }
}
