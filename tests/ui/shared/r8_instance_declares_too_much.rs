//! An instance of a generic struct of static shared memory has 48 KiB at most too.

use ptx::group::Cta;
use ptx::shared::{Element, SharedArray};

ptx::shared_memory! {
    pub struct Smem<T: Element, const N: usize> { pub tile: SharedArray<T, N> }
}

#[cfg(not(fixed))]
#[ptx::kernel(unsafe(uniform), threads = 32, instances(<f32, 8192>, <f64, 8192>))]
pub fn kernel<T: Element, const N: usize>(_cta: Cta, #[shared] _smem: Smem<T, N>) {}

#[cfg(fixed)]
#[ptx::kernel(unsafe(uniform), threads = 32, instances(<f32, 8192>, <f64, 4096>))]
pub fn kernel<T: Element, const N: usize>(_cta: Cta, #[shared] _smem: Smem<T, N>) {}
