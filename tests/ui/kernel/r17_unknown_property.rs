//! The attribute knows no `blocks`.

use ptx::launch::Cta;

#[ptx::kernel(unsafe(uniform), threads = 32, blocks = 2)]
pub fn kernel(_cta: Cta) {}
