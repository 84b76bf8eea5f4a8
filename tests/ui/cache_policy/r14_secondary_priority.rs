//! The secondary priority of a policy is `EvictFirst` or `EvictUnchanged`.

use ptx::cache_policy::CachePolicy;
use ptx::global::Global;
use ptx::qualifier::evict;

pub fn kernel(slice: Global<f32>) {
    let _half = CachePolicy::fractional(evict::Last, evict::Last, 0.5);
    let _first = CachePolicy::range(evict::Last, evict::Normal, slice, 1024);
}
