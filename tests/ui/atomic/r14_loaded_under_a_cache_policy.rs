//! The atomic `ld` and `st` take no cache policy.

use ptx::atomic::AtomicRef;
use ptx::cache_policy::{CacheHint, CachePolicy};
use ptx::qualifier::{scope, sem, space};

pub fn kernel(sum: AtomicRef<'_, u32, scope::Gpu, space::Global>, keep: CachePolicy) {
    #[cfg(not(fixed))]
    let _now = sum.cache_hint(keep).load(sem::Relaxed);
    #[cfg(fixed)]
    let _now = sum.load(sem::Relaxed);
    #[cfg(fixed)]
    sum.cache_hint(keep).add(1, sem::Relaxed);
}
