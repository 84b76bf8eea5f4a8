//! The cache policy of an `atom` is for global memory.

use ptx::qualifier::{cache_hint, scope, sem, space, ty};
use ptx::raw;

pub fn kernel(count: *mut u8, policy: u64) -> u32 {
    let hint = cache_hint::Policy(policy);
    // SAFETY: for the sake of the example, a `u32` is at `count`, and only atomic operations access it.
    unsafe { raw::atom_add(sem::Relaxed, scope::Cta, space::Global, ty::U32, count, 1, hint) }
}
