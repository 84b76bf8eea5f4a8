//! Every form of every raw instruction: the kernels are those that `ptx` has under its feature `probe`.

#![no_std]

extern crate ptx;

#[panic_handler]
fn panic(_: &core::panic::PanicInfo) -> ! {
    // Not reached: nothing here panics.
    loop {}
}
