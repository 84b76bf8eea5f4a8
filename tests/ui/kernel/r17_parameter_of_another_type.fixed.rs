//! The host cannot pass a `Vec`-like type of its own.

use ptx::global::Global;
use ptx::launch::Cta;

#[ptx::kernel(unsafe(uniform), threads = 32)]
pub fn kernel(_cta: Cta, _x: Global<f32>) {}
