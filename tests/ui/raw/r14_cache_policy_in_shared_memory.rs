//! A cache policy of `atom` is for global memory.

use ptx::qualifier::{cache_hint, scope, sem, space, ty};
use ptx::raw;

#[cfg(not(fixed))]
pub fn kernel(count: u32, policy: u64) -> u32 {
    let hint = cache_hint::Policy(policy);
    // SAFETY: the example assumes a `u32` at `count`, which only atomic operations access.
    unsafe { raw::atom_add(sem::Relaxed, scope::Cta, space::SharedCta, ty::U32, count, 1, hint) }
}

#[cfg(fixed)]
pub fn kernel(count: *mut u8, policy: u64) -> u32 {
    let hint = cache_hint::Policy(policy);
    // SAFETY: the example assumes a `u32` at `count`, which only atomic operations access.
    unsafe { raw::atom_add(sem::Relaxed, scope::Cta, space::Global, ty::U32, count, 1, hint) }
}
