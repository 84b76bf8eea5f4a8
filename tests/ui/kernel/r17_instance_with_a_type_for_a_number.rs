//! An instance gives a value for a constant parameter.

use ptx::global::Global;
use ptx::group::Cta;

#[cfg(not(fixed))]
#[ptx::kernel(unsafe(uniform), threads = N, instances(<f32>))]
pub fn kernel<const N: u32>(_cta: Cta, _x: Global<f32>) {}

#[cfg(fixed)]
#[ptx::kernel(unsafe(uniform), threads = N, instances(<32>))]
pub fn kernel<const N: u32>(_cta: Cta, _x: Global<f32>) {}
