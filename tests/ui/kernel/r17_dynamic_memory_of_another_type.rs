//! Dynamic shared memory holds places.

use ptx::launch::Cta;

#[ptx::kernel(unsafe(uniform), threads = 32)]
pub fn kernel(_cta: Cta, #[dynamic] _tile: [f32; 64]) {}
