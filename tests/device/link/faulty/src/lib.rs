//! Kernels that the linker must refuse or warn about.

#![no_std]
#![feature(abi_ptx, asm_experimental_arch)]

use core::arch::asm;

#[panic_handler]
fn panic(_: &core::panic::PanicInfo) -> ! {
    loop {}
}

/// Undefined unless the library of `link_shared` is linked.
#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn uses_another_crate(out: *mut u32) {
    unsafe { *out = through(*out) }
}

#[inline(never)]
fn through(value: u32) -> u32 {
    link_shared::second::address(value)
}

#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn indexes(out: *mut u32, table: &[u32; 16], index: usize) {
    unsafe { *out = table[index] }
}

#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn divides(out: *mut u32, by: u32) {
    unsafe { *out = quotient(*out, by) }
}

#[inline(never)]
fn quotient(dividend: u32, divisor: u32) -> u32 {
    dividend / divisor
}

#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn unwraps(out: *mut u32, value: u32) {
    unsafe { *out = value.checked_add(1).unwrap() }
}

#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn needs_the_future(out: *mut u32) {
    unsafe {
        asm!("fence.acq_rel.cta; // ptx:86.0", options(nostack));
        *out = 1;
    }
}
