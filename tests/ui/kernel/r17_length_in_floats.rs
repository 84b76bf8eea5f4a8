//! A parameter that is the length of a memory counts its elements.

use ptx::global::Global;
use ptx::group::Cta;

#[cfg(not(fixed))]
#[ptx::kernel(unsafe(uniform), threads = 32)]
pub fn kernel(_cta: Cta, #[len(n)] _x: Global<f32>, n: f32) {}

#[cfg(fixed)]
#[ptx::kernel(unsafe(uniform), threads = 32)]
pub fn kernel(_cta: Cta, #[len(n)] _x: Global<f32>, n: u32) {}
