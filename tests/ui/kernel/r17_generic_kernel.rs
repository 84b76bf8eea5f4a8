//! A kernel is one entry, so it has no generics.

use ptx::global::Global;
use ptx::launch::Cta;

#[cfg(not(fixed))]
#[ptx::kernel(unsafe(uniform), threads = 32)]
pub fn kernel<T>(_cta: Cta, _x: Global<T>) {}

#[cfg(fixed)]
#[ptx::kernel(unsafe(uniform), threads = 32)]
pub fn kernel(_cta: Cta, _x: Global<f32>) {}
