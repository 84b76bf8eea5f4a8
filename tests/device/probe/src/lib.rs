//! Each form of each raw instruction: the kernels of `ptx` under its feature `probe`.

#![no_std]

extern crate ptx;

#[panic_handler]
fn panic(_: &core::panic::PanicInfo) -> ! {
    // Unreachable: the kernels do not panic.
    loop {}
}
