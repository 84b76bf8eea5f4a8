//! A kernel has one struct of static shared memory.

use ptx::group::Cta;
use ptx::shared::SharedArray;

#[cfg(not(fixed))]
ptx::shared_memory! { pub struct A { tile: SharedArray<f32, 64> } }
#[cfg(fixed)]
ptx::shared_memory! { pub struct Both { a: SharedArray<f32, 64>, b: SharedArray<f32, 64> } }
#[cfg(not(fixed))]
ptx::shared_memory! { pub struct B { tile: SharedArray<f32, 64> } }

#[cfg(not(fixed))]
#[ptx::kernel(unsafe(uniform), threads = 32)]
pub fn kernel(_cta: Cta, #[shared] _a: A, #[shared] _b: B) {}

#[cfg(fixed)]
#[ptx::kernel(unsafe(uniform), threads = 32)]
pub fn kernel(_cta: Cta, #[shared] _both: Both) {}
