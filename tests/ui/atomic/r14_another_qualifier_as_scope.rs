//! The scope of a view is a type of `qualifier::scope`.

use ptx::atomic::GlobalAtomics;
use ptx::qualifier::{scope, sem};

pub fn kernel(base: *mut u32) {
    // SAFETY: 256 counters, which nothing else accesses.
    #[cfg(not(fixed))]
    let _counts = unsafe { GlobalAtomics::<u32, sem::Relaxed>::from_raw(base, 256) };
    // SAFETY: 256 counters, which nothing else accesses.
    #[cfg(fixed)]
    let _counts = unsafe { GlobalAtomics::<u32, scope::Gpu>::from_raw(base, 256) };
}
