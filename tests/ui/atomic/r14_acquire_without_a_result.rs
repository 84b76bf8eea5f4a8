//! `red` has no result, so it cannot acquire.

use ptx::atomic::AtomicRef;
use ptx::qualifier::{scope, sem, space};

pub fn kernel(value: AtomicRef<'_, u32, scope::Gpu, space::Global>) {
    #[cfg(not(fixed))]
    value.add(1, sem::AcqRel);
    #[cfg(fixed)]
    value.fetch_add(1, sem::AcqRel);
}
