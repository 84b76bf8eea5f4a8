//! A kernel allocates tensor memory once.

use ptx::qualifier::n::N64;
use ptx::tcgen05::TensorMemory;

#[cfg(not(fixed))]
ptx::shared_memory! { struct Smem { first: TensorMemory<N64, 2>, second: TensorMemory<N64, 2> } }
#[cfg(fixed)]
ptx::shared_memory! { struct Smem { first: TensorMemory<N64, 4> } }

#[ptx::kernel(threads = 256)]
pub fn kernel(cta: ptx::group::Cta, #[shared] smem: Smem) {
    _ = (cta, smem.first);
}
