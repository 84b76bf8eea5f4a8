//! The scope of a view is a type of `qualifier::scope`.

use ptx::atomic::GlobalAtomics;
use ptx::qualifier::sem;

pub fn kernel(base: *mut u32) {
    // SAFETY: 256 counters, which nothing else accesses.
    let _counts = unsafe { GlobalAtomics::<u32, sem::Relaxed>::from_raw(base, 256) };
}
