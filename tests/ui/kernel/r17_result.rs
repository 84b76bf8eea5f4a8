//! A kernel returns nothing.

#[cfg(fixed)]
use ptx::global::GlobalElementsMut;

use ptx::group::Cta;

#[cfg(not(fixed))]
#[ptx::kernel(unsafe(uniform), threads = 32)]
pub fn kernel(_cta: Cta) -> u32 {
    1
}

#[cfg(fixed)]
#[ptx::kernel(unsafe(uniform), threads = 32)]
pub fn kernel(_cta: Cta, _result: GlobalElementsMut<u32>) {}
