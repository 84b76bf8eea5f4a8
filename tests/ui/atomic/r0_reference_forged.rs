//! Only a view makes references to atomic values.

use ptx::atomic::{AtomicRef, GlobalAtomics};
use ptx::qualifier::{scope, space};

pub fn kernel(counts: GlobalAtomics<u32, scope::Gpu>) {
    #[cfg(not(fixed))]
    let _count: AtomicRef<'_, u32, scope::Gpu, space::Global> =
        unsafe { AtomicRef::new(counts.get(0).map_or(core::ptr::null_mut(), |count| count.addr())) };
    #[cfg(fixed)]
    let _count: Option<AtomicRef<'_, u32, scope::Gpu, space::Global>> = counts.get(0);
}
