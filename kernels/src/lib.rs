//! Real kernels on `ptx`, one a module.

#![no_std]
#![feature(abi_ptx, core_float_math)]

mod atomic;
mod axpy_bulk;

#[panic_handler]
fn panic(_: &core::panic::PanicInfo) -> ! {
    ptx::launch::trap()
}
