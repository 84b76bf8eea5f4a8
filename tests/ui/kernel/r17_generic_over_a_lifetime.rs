//! A kernel has no lifetime parameter.

use ptx::global::Global;
use ptx::group::Cta;

#[cfg(not(fixed))]
#[ptx::kernel(unsafe(uniform), threads = 32)]
pub fn kernel<'a>(_cta: Cta, _x: Global<f32>) {}

#[cfg(fixed)]
#[ptx::kernel(unsafe(uniform), threads = 32)]
pub fn kernel(_cta: Cta, _x: Global<f32>) {}
