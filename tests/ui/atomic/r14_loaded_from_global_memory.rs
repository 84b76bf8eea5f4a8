//! `atom` reads global memory by an operation that changes nothing; there is no plain load.

use ptx::atomic::AtomicRef;
use ptx::qualifier::{scope, sem, space};

pub fn kernel(value: AtomicRef<'_, u32, scope::Gpu, space::Global>) {
    #[cfg(not(fixed))]
    let _now = value.load(sem::Relaxed);
    #[cfg(fixed)]
    let _now = value.fetch_or(0, sem::Relaxed);
}
