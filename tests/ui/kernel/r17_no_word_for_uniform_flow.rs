//! A kernel needs its author's word for uniform control flow.

use ptx::group::Cta;

#[cfg(not(fixed))]
#[ptx::kernel(threads = 32)]
pub fn kernel(_cta: Cta) {}

#[cfg(fixed)]
#[ptx::kernel(unsafe(uniform), threads = 32)]
pub fn kernel(_cta: Cta) {}
