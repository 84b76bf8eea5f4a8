//! The L2 cache is one of global memory.

use ptx::atomic::AtomicRef;
use ptx::cache_policy::CachePolicy;
use ptx::qualifier::{scope, sem, space};

pub fn kernel(bin: AtomicRef<'_, u32, scope::Cta, space::SharedCta>, keep: CachePolicy) {
    bin.cache_hint(keep).add(1, sem::Relaxed);
}
