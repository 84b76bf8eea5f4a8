//! Dynamic shared memory holds places.

use ptx::launch::Cta;
use ptx::shared::SharedArray;

#[ptx::kernel(unsafe(uniform), threads = 32)]
pub fn kernel(_cta: Cta, #[dynamic] _tile: SharedArray<f32, 64>) {}
