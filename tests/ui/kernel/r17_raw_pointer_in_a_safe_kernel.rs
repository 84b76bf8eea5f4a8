//! A safe kernel takes no raw pointer.

use ptx::launch::Cta;

#[ptx::kernel(unsafe(uniform), threads = 32)]
pub fn kernel(_cta: Cta, _x: *const f32) {}
