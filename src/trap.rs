//! `trap`: stops a kernel with an error (`__trap()`).

/// Stops the kernel with an error that the host sees (`CUDA_ERROR_ILLEGAL_INSTRUCTION`), as `__trap()` does.
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
    // SAFETY: `trap` ends the grid, so the `asm!` does not return (`noreturn`).
    unsafe {
        core::arch::asm!("trap;", options(noreturn))
    }
    #[cfg(not(target_arch = "nvptx64"))]
    panic!("`ptx::launch::trap` was called off the device")
}
