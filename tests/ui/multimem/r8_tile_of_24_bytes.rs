//! A bulk reduction moves a multiple of 16 bytes.

use ptx::multimem::MulticastReduce;

pub fn kernel(sums: *mut f64) {
    // SAFETY: the multicast address of 96 elements, which only kernels like this one access.
    #[cfg(not(fixed))]
    let _sums = unsafe { MulticastReduce::<f64, 3>::from_raw(sums, 96) };
    // SAFETY: the multicast address of 96 elements, which only kernels like this one access.
    #[cfg(fixed)]
    let _sums = unsafe { MulticastReduce::<f64, 4>::from_raw(sums, 96) };
}
