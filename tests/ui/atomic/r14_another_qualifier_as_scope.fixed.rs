//! The scope of a view is a scope.

use ptx::atomic::GlobalAtomics;
use ptx::qualifier::scope;

pub fn kernel(base: *mut u32) {
    // SAFETY: 256 counters that nothing else accesses.
    let _counts = unsafe { GlobalAtomics::<u32, scope::Gpu>::from_raw(base, 256) };
}
