//! The word of a kernel's author is `unsafe(uniform)`.

use ptx::group::Cta;

#[cfg(not(fixed))]
#[ptx::kernel(unsafe(proven), threads = 32)]
pub fn kernel(_cta: Cta) {}

#[cfg(fixed)]
#[ptx::kernel(unsafe(uniform), threads = 32)]
pub fn kernel(_cta: Cta) {}
