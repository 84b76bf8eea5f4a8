//! Safe code relies on a barrier of all threads, and without `ptx-link` LLVM may copy that barrier into the arms of a branch.

#[cfg(not(fixed))]
use ptx::group::Cta;

#[cfg(not(fixed))]
ptx::shared_memory! {
    struct Smem {
        counts: [u32; 32],
    }
}
#[cfg(fixed)]
use ptx::qualifier::{convergence::Aligned, threads};
#[cfg(fixed)]
use ptx::raw;

#[cfg(not(fixed))]
pub fn sum(cta: &Cta) {
    cta.sync();
}

/// # Safety
/// All threads of the CTA make this call together.
#[cfg(fixed)]
pub unsafe fn sum() {
    // SAFETY: the caller promises that all threads of the CTA make this call.
    unsafe { raw::barrier_cta_sync(Aligned, 0, threads::All) };
}
