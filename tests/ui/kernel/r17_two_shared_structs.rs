//! A kernel has one struct of static shared memory.

use ptx::launch::Cta;
use ptx::shared::SharedArray;

ptx::shared_memory! { pub struct A { tile: SharedArray<f32, 64> } }
ptx::shared_memory! { pub struct B { tile: SharedArray<f32, 64> } }

#[ptx::kernel(unsafe(uniform), threads = 32)]
pub fn kernel(_cta: Cta, #[shared] _a: A, #[shared] _b: B) {}
