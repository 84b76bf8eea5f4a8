//! Dynamic shared memory holds places.

use ptx::group::Cta;
use ptx::shared::SharedArray;

#[cfg(not(fixed))]
#[ptx::kernel(unsafe(uniform), threads = 32)]
pub fn kernel(_cta: Cta, #[dynamic] _tile: [f32; 64]) {}

#[cfg(fixed)]
#[ptx::kernel(unsafe(uniform), threads = 32)]
pub fn kernel(_cta: Cta, #[dynamic] _tile: SharedArray<f32, 64>) {}
