//! A block has at most 1024 threads.

use ptx::launch::Cta;

#[ptx::kernel(unsafe(uniform), threads = (32, 32))]
pub fn kernel(_cta: Cta) {}
