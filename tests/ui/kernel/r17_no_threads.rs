//! A kernel states the threads of its block.

use ptx::launch::Cta;

#[ptx::kernel(unsafe(uniform))]
pub fn kernel(_cta: Cta) {}
