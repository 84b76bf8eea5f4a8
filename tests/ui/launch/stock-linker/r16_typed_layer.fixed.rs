//! The same by the raw layer, whose caller answers for where it stands.

use ptx::qualifier::{convergence::Aligned, threads};
use ptx::raw;

/// # Safety
/// All threads of the CTA execute it together.
pub unsafe fn sum() {
    // SAFETY: the caller says so.
    unsafe { raw::barrier_cta_sync(Aligned, 0, threads::All) };
}
