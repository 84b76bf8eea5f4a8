//! `createpolicy.fractional` takes fractions in (0, 1]: a policy of any other is `None`.

use ptx::cache_policy::CachePolicy;
use ptx::qualifier::evict;

pub fn kernel(fraction: f32) -> Option<CachePolicy> {
    CachePolicy::fractional(evict::Last, evict::Unchanged, fraction)
}
