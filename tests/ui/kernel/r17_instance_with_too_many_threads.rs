//! The launch shape of each instance is checked.

use ptx::global::Global;
use ptx::group::Cta;

#[cfg(not(fixed))]
#[ptx::kernel(unsafe(uniform), threads = N, instances(<1024>, <2048>))]
pub fn kernel<const N: u32>(_cta: Cta, _x: Global<f32>) {}

#[cfg(fixed)]
#[ptx::kernel(unsafe(uniform), threads = N, instances(<512>, <1024>))]
pub fn kernel<const N: u32>(_cta: Cta, _x: Global<f32>) {}
