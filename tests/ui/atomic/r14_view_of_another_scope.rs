//! A view has one scope: accesses in scopes that do not include each other are not atomic.

use ptx::atomic::AtomicRef;
use ptx::qualifier::{scope, sem, space};

#[cfg(not(fixed))]
pub fn kernel(value: AtomicRef<'_, u32, scope::Cta, space::Global>) {
    count(value);
}

#[cfg(fixed)]
pub fn kernel(value: AtomicRef<'_, u32, scope::Gpu, space::Global>) {
    count(value);
}

fn count(value: AtomicRef<'_, u32, scope::Gpu, space::Global>) {
    value.add(1, sem::Relaxed);
}
