//! `barrier.cta` is aligned or is not.

use ptx::qualifier::{scope, threads};
use ptx::raw;

pub fn kernel() {
    // SAFETY: every thread of the CTA calls this.
    unsafe { raw::barrier_cta_sync(scope::Cta, 0, threads::All) }
}
