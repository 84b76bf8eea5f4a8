//! A kernel returns nothing.

use ptx::launch::Cta;

#[ptx::kernel(unsafe(uniform), threads = 32)]
pub fn kernel(_cta: Cta) -> u32 {
    1
}
