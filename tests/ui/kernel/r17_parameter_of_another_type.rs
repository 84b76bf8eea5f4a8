//! The host cannot pass a `Vec`-like type of its own.

use ptx::global::Global;
use ptx::group::Cta;

#[cfg(not(fixed))]
pub struct List(*const f32, usize);

#[cfg(not(fixed))]
#[ptx::kernel(unsafe(uniform), threads = 32)]
pub fn kernel(_cta: Cta, _x: List) {}

#[cfg(fixed)]
#[ptx::kernel(unsafe(uniform), threads = 32)]
pub fn kernel(_cta: Cta, _x: Global<f32>) {}
