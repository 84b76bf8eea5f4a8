//! A kernel has one struct of static shared memory.

use ptx::launch::Cta;
use ptx::shared::SharedArray;

ptx::shared_memory! { pub struct Both { a: SharedArray<f32, 64>, b: SharedArray<f32, 64> } }

#[ptx::kernel(unsafe(uniform), threads = 32)]
pub fn kernel(_cta: Cta, #[shared] _both: Both) {}
