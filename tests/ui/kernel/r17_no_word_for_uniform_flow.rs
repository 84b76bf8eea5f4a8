//! A kernel needs its author's word for uniform control flow.

use ptx::launch::Cta;

#[ptx::kernel(threads = 32)]
pub fn kernel(_cta: Cta) {}
