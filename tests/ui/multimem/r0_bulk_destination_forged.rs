//! The destination of reductions by all GPUs is made by `unsafe`: the caller knows who else accesses it.

use ptx::multimem::MulticastReduce;

pub fn kernel(sums: *mut f32) {
    #[cfg(not(fixed))]
    let _sums = MulticastReduce::<f32, 64>::from_raw(sums, 256);
    // SAFETY: the multicast address of 256 elements, which only kernels like this one access.
    #[cfg(fixed)]
    let _sums = unsafe { MulticastReduce::<f32, 64>::from_raw(sums, 256) };
}
