//! Real kernels on `ptx`, one a module.

#![no_std]
#![feature(abi_ptx, asm_experimental_arch, core_float_math)]

mod atomic;
mod axpy_bulk;
mod barrier;
mod mbarrier;
mod pipeline;
mod tensor;
mod warp;

#[panic_handler]
fn panic(_: &core::panic::PanicInfo) -> ! {
    ptx::launch::trap()
}
