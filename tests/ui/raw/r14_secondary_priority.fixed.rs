//! `createpolicy.fractional` knows two secondary priorities.

use ptx::qualifier::evict;
use ptx::raw;

pub fn kernel() -> u64 {
    // SAFETY: a half is in (0, 1].
    unsafe { raw::createpolicy_fractional(evict::Last, evict::Unchanged, 0.5) }
}
