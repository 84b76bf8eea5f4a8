//! A block has at most 1024 threads.

use ptx::group::Cta;

#[cfg(not(fixed))]
#[ptx::kernel(unsafe(uniform), threads = (64, 32))]
pub fn kernel(_cta: Cta) {}

#[cfg(fixed)]
#[ptx::kernel(unsafe(uniform), threads = (32, 32))]
pub fn kernel(_cta: Cta) {}
