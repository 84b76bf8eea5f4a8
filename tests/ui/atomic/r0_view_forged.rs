//! A view of global memory is made by `unsafe`: the caller knows who else accesses the memory.

use ptx::atomic::GlobalAtomics;
use ptx::qualifier::scope;

pub fn kernel(base: *mut u32) {
    #[cfg(not(fixed))]
    let _counts = GlobalAtomics::<u32, scope::Gpu>::from_raw(base, 256);
    // SAFETY: 256 counters, which nothing else accesses.
    #[cfg(fixed)]
    let _counts = unsafe { GlobalAtomics::<u32, scope::Gpu>::from_raw(base, 256) };
}
