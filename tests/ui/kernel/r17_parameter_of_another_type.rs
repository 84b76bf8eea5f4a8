//! The host cannot pass a `Vec`-like type of its own.

use ptx::launch::Cta;

pub struct List(*const f32, usize);

#[ptx::kernel(unsafe(uniform), threads = 32)]
pub fn kernel(_cta: Cta, _x: List) {}
