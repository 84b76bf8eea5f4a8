//! `atom.cas` takes no cache policy.

use ptx::atomic::AtomicRef;
use ptx::cache_policy::{CacheHint, CachePolicy};
use ptx::qualifier::{scope, sem, space};

pub fn kernel(lock: AtomicRef<'_, u32, scope::Gpu, space::Global>, keep: CachePolicy) {
    #[cfg(not(fixed))]
    let _ = lock.cache_hint(keep).compare_exchange(0, 1, sem::Acquire);
    #[cfg(fixed)]
    let _ = lock.compare_exchange(0, 1, sem::Acquire);
    #[cfg(fixed)]
    lock.cache_hint(keep).add(1, sem::Relaxed);
}
