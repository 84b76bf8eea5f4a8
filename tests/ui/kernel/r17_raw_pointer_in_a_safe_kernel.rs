//! A safe kernel takes no raw pointer.

use ptx::group::Cta;

#[cfg(not(fixed))]
#[ptx::kernel(unsafe(uniform), threads = 32)]
pub fn kernel(_cta: Cta, _x: *const f32) {}

/// # Safety
///
/// `x` is the address of an element of global memory.
#[cfg(fixed)]
#[ptx::kernel(unsafe(uniform), threads = 32)]
pub unsafe fn kernel(_cta: Cta, _x: *const f32) {}
