//! The raw layer makes the same call, and its caller is responsible for the barrier's place.

use ptx::qualifier::{convergence::Aligned, threads};
use ptx::raw;

/// # Safety
/// All threads of the CTA make this call together.
pub unsafe fn sum() {
    // SAFETY: the caller promises that all threads of the CTA make this call.
    unsafe { raw::barrier_cta_sync(Aligned, 0, threads::All) };
}
