//! The secondary priority of a policy is `EvictFirst` or `EvictUnchanged`.

use ptx::cache_policy::CachePolicy;
use ptx::global::Global;
use ptx::qualifier::evict;

pub fn kernel(slice: Global<f32>) {
    #[cfg(not(fixed))]
    let _half = CachePolicy::fractional(evict::Last, evict::Last, 0.5);
    #[cfg(not(fixed))]
    let _first = CachePolicy::range(evict::Last, evict::Normal, slice, 1024);
    #[cfg(fixed)]
    let _half = CachePolicy::fractional(evict::Last, evict::First, 0.5);
    #[cfg(fixed)]
    let _first = CachePolicy::range(evict::Last, evict::Unchanged, slice, 1024);
}
