//! The attribute knows no `blocks`.

use ptx::group::Cta;

#[cfg(not(fixed))]
#[ptx::kernel(unsafe(uniform), threads = 32, blocks = 2)]
pub fn kernel(_cta: Cta) {}

#[cfg(fixed)]
#[ptx::kernel(unsafe(uniform), threads = 32, min_ctas = 2)]
pub fn kernel(_cta: Cta) {}
