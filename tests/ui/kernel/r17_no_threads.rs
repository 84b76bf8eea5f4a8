//! A kernel states the threads of its block.

use ptx::group::Cta;

#[cfg(not(fixed))]
#[ptx::kernel(unsafe(uniform))]
pub fn kernel(_cta: Cta) {}

#[cfg(fixed)]
#[ptx::kernel(unsafe(uniform), threads = (32, 4))]
pub fn kernel(_cta: Cta) {}
