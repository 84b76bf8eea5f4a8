//! Real kernels on `ptx`, one a module.

#![no_std]
#![feature(abi_ptx, asm_experimental_arch, core_float_math)]

mod axpy_bulk;
mod mbarrier;
mod pipeline;
mod tensor;

#[panic_handler]
fn panic(_: &core::panic::PanicInfo) -> ! {
    ptx::launch::trap()
}
