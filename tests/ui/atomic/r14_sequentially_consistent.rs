//! `atom` has no `.sc`: use a fence.

use ptx::atomic::AtomicRef;
use ptx::fence;
use ptx::qualifier::{scope, sem, space};

pub fn kernel(value: AtomicRef<'_, u32, scope::Gpu, space::Global>) {
    fence::sc(scope::Gpu);
    #[cfg(not(fixed))]
    value.fetch_add(1, sem::Sc);
    #[cfg(fixed)]
    value.fetch_add(1, sem::Acquire);
}
