//! A cache policy is for global memory: the L2 cache does not hold shared memory.

use ptx::atomic::AtomicRef;
use ptx::cache_policy::{CacheHint, CachePolicy};
use ptx::qualifier::{scope, sem, space};

#[cfg(not(fixed))]
pub fn kernel(bin: AtomicRef<'_, u32, scope::Cta, space::SharedCta>, keep: CachePolicy) {
    bin.cache_hint(keep).add(1, sem::Relaxed);
}

#[cfg(fixed)]
pub fn kernel(bin: AtomicRef<'_, u32, scope::Cta, space::Global>, keep: CachePolicy) {
    bin.cache_hint(keep).add(1, sem::Relaxed);
}
