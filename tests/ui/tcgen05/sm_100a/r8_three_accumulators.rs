//! Tensor memory has 512 columns.

use ptx::qualifier::n::N256;
use ptx::tcgen05::TensorMemory;

#[cfg(not(fixed))]
ptx::shared_memory! { struct Smem { accumulators: TensorMemory<N256, 3> } }
#[cfg(fixed)]
ptx::shared_memory! { struct Smem { accumulators: TensorMemory<N256, 2> } }

#[ptx::kernel(threads = 256)]
pub fn kernel(cta: ptx::group::Cta, #[shared] smem: Smem) {
    _ = (cta, smem.accumulators);
}
