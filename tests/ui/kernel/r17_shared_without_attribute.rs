//! Shared memory is not passed by the host.

use ptx::launch::Cta;
use ptx::shared::SharedArray;

ptx::shared_memory! { pub struct Smem { tile: SharedArray<f32, 64> } }

#[ptx::kernel(unsafe(uniform), threads = 32)]
pub fn kernel(_cta: Cta, _smem: Smem) {}
