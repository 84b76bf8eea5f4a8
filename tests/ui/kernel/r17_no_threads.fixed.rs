//! A kernel states the threads of its block.

use ptx::launch::Cta;

#[ptx::kernel(unsafe(uniform), threads = (32, 4))]
pub fn kernel(_cta: Cta) {}
