//! A load acquires, and a store releases.

use ptx::atomic::AtomicRef;
use ptx::qualifier::{scope, sem, space};

pub fn kernel(flag: AtomicRef<'_, u32, scope::Gpu, space::Global>) {
    #[cfg(not(fixed))]
    while flag.load(sem::Release) == 0 {}
    #[cfg(fixed)]
    while flag.load(sem::Acquire) == 0 {}
    #[cfg(not(fixed))]
    flag.store(0, sem::AcqRel);
    #[cfg(fixed)]
    flag.store(0, sem::Release);
}
