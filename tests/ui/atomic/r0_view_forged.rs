//! Views of global memory are made by `unsafe`, once it is known who else accesses it.

use ptx::atomic::GlobalAtomics;
use ptx::qualifier::scope;

pub fn kernel(base: *mut u32) {
    let _counts = GlobalAtomics::<u32, scope::Gpu>::from_raw(base, 256);
}
