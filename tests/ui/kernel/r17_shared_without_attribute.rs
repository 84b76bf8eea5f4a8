//! Shared memory is not passed by the host.

use ptx::group::Cta;
use ptx::shared::SharedArray;

ptx::shared_memory! { pub struct Smem { tile: SharedArray<f32, 64> } }

#[cfg(not(fixed))]
#[ptx::kernel(unsafe(uniform), threads = 32)]
pub fn kernel(_cta: Cta, _smem: Smem) {}

#[cfg(fixed)]
#[ptx::kernel(unsafe(uniform), threads = 32)]
pub fn kernel(_cta: Cta, #[shared] _smem: Smem) {}
