//! A kernel states the threads of its block.

use ptx::launch::Cta;

#[cfg(not(fixed))]
#[ptx::kernel(unsafe(uniform))]
pub fn kernel(_cta: Cta) {}

#[cfg(fixed)]
#[ptx::kernel(unsafe(uniform), threads = (32, 4))]
pub fn kernel(_cta: Cta) {}
