//! `trap`: how a kernel stops with an error.

/// Stops the kernel with an error that the host sees (`CUDA_ERROR_ILLEGAL_INSTRUCTION`).
///
/// ```
/// # fn kernel(input: Option<u32>) {
/// let Some(input) = input else { ptx::launch::trap() };
/// # }
/// ```
#[cold]
#[inline(always)]
pub fn trap() -> ! {
    #[cfg(target_arch = "nvptx64")]
    // SAFETY: `trap` ends the grid.
    unsafe {
        core::arch::asm!("trap;", options(noreturn))
    }
    #[cfg(not(target_arch = "nvptx64"))]
    panic!("`ptx::launch::trap` was called off the device")
}
