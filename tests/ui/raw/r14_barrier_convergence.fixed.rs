//! `barrier.cta` is aligned or is not.

use ptx::qualifier::{convergence, threads};
use ptx::raw;

pub fn kernel() {
    // SAFETY: every thread of the CTA calls this.
    unsafe { raw::barrier_cta_sync(convergence::Unaligned, 0, threads::All) }
}
