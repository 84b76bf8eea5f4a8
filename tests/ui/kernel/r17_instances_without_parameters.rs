//! A kernel without generic parameters has no instances.

use ptx::global::Global;
use ptx::group::Cta;

#[cfg(not(fixed))]
#[ptx::kernel(unsafe(uniform), threads = 32, instances(<f32>))]
pub fn kernel(_cta: Cta, _x: Global<f32>) {}

#[cfg(fixed)]
#[ptx::kernel(unsafe(uniform), threads = 32)]
pub fn kernel(_cta: Cta, _x: Global<f32>) {}
