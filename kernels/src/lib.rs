//! Real kernels on `ptx`, one a module.

#![no_std]
#![feature(abi_ptx, core_float_math)]

mod axpy_bulk;
mod barrier_handoff;
mod warp_segmented_sum;

#[panic_handler]
fn panic(_: &core::panic::PanicInfo) -> ! {
    ptx::launch::trap()
}
