//! `createpolicy.fractional` takes fractions in (0, 1]: for other fractions, the constructor returns `None`.

use ptx::cache_policy::CachePolicy;
use ptx::qualifier::evict;

pub fn kernel(fraction: f32) -> Option<CachePolicy> {
    CachePolicy::fractional(evict::Last, evict::Unchanged, fraction)
}
