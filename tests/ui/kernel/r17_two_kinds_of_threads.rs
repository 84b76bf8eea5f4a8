//! A kernel states the threads of its block, or the most threads.

use ptx::group::Cta;

#[cfg(not(fixed))]
#[ptx::kernel(unsafe(uniform), threads = 128, max_threads = 256)]
pub fn kernel(_cta: Cta) {}

#[cfg(fixed)]
#[ptx::kernel(unsafe(uniform), max_threads = 256)]
pub fn kernel(_cta: Cta) {}
