//! A kernel returns nothing.

use ptx::global::GlobalElementsMut;
use ptx::launch::Cta;

#[ptx::kernel(unsafe(uniform), threads = 32)]
pub fn kernel(_cta: Cta, _result: GlobalElementsMut<u32>) {}
