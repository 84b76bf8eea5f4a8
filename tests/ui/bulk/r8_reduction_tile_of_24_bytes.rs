//! A bulk reduction moves a multiple of 16 bytes.

use ptx::bulk::GlobalReduce;

pub fn kernel(sums: *mut u32) {
    // SAFETY: the kernel is compiled and never run.
    #[cfg(not(fixed))]
    let _sums = unsafe { GlobalReduce::<u32, 6>::from_raw(sums, 600) };
    // SAFETY: the kernel is compiled and never run.
    #[cfg(fixed)]
    let _sums = unsafe { GlobalReduce::<u32, 8>::from_raw(sums, 600) };
}
