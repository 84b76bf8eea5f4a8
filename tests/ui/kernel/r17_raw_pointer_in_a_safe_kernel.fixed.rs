//! A safe kernel takes no raw pointer.

use ptx::launch::Cta;

/// # Safety
///
/// `x` is the address of an element of global memory.
#[ptx::kernel(unsafe(uniform), threads = 32)]
pub unsafe fn kernel(_cta: Cta, _x: *const f32) {}
