//! `createpolicy.fractional` takes fractions in (0, 1]: safe code cannot pass another.

use ptx::cache_policy::CachePolicy;
use ptx::qualifier::evict;
use ptx::raw;

#[cfg(not(fixed))]
pub fn kernel(fraction: f32) -> u64 {
    raw::createpolicy_fractional(evict::Last, evict::Unchanged, fraction)
}

#[cfg(fixed)]
pub fn kernel(fraction: f32) -> Option<CachePolicy> {
    CachePolicy::fractional(evict::Last, evict::Unchanged, fraction)
}
