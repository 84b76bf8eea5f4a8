//! `createpolicy.fractional` has two secondary priorities.

use ptx::qualifier::evict;
use ptx::raw;

pub fn kernel() -> u64 {
    // SAFETY: 0.5 is in (0, 1].
    #[cfg(not(fixed))]
    unsafe {
        raw::createpolicy_fractional(evict::Last, evict::Last, 0.5)
    }
    // SAFETY: 0.5 is in (0, 1].
    #[cfg(fixed)]
    unsafe {
        raw::createpolicy_fractional(evict::Last, evict::Unchanged, 0.5)
    }
}
