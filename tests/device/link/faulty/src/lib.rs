//! Kernels that the linker must refuse or warn about.

#![no_std]
#![feature(abi_ptx, asm_experimental_arch, core_float_math)]

use core::arch::asm;

use link_shared::thread;

#[panic_handler]
fn panic(_: &core::panic::PanicInfo) -> ! {
    loop {}
}

/// Calls a function that is undefined unless the library of `link_shared` is linked.
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

/// Has the name of the function that `core` calls for a cube root.
#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn cbrtf(out: *mut f32) {
    unsafe { *out = 1.0 }
}

#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn takes_a_cube_root(out: *mut f32) {
    unsafe { *out = core::f32::math::cbrt(*out) }
}

#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn needs_the_future(out: *mut u32) {
    unsafe {
        asm!("fence.acq_rel.cta; // ptx:86.0", options(nostack));
        *out = 1;
    }
}

/// Indexes an array in local memory, because the index is known at run time only.
#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn indexes_an_array(out: *mut u32, index: usize) {
    unsafe { *out = element([*out, 5, 7, 11], index) }
}

#[inline(always)]
fn element(mut table: [u32; 4], index: usize) -> u32 {
    table[index % 4] += 1;
    table[index / 4 % 4]
}

/// Passes an address to a function that is not inlined.
#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn passes_an_address(out: *mut u32) {
    unsafe { *out = through_memory(*out) }
}

#[inline(never)]
fn through_memory(mut value: u32) -> u32 {
    unsafe { changes(&raw mut value) };
    value
}

#[inline(never)]
unsafe fn changes(value: *mut u32) {
    unsafe { value.write_volatile(value.read_volatile() + 1) }
}

#[inline(always)]
fn barrier() {
    unsafe { asm!("barrier.cta.sync.aligned 0;", options(nostack, preserves_flags)) }
}

/// Executes a barrier that only the first warp reaches.
#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn syncs_in_a_warp(out: *mut u32) {
    if thread() < 32 {
        unsafe { *out = 1 }
        barrier();
    }
}

/// Executes a number of barriers that depends on the thread.
#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn syncs_in_a_loop_of_the_thread(out: *mut u32, count: u32) {
    let mut index = thread();
    while index < count {
        unsafe { out.add(index as usize).write_volatile(1) }
        barrier();
        index += 256;
    }
}

/// Executes barriers that either all threads reach or none.
#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn syncs_under_a_uniform_condition(out: *mut u32, flag: *const u32) {
    if thread() == 0 {
        unsafe { *out = 1 }
    }
    if unsafe { *flag } != 0 {
        barrier();
    }
    let mut left = unsafe { *flag.add(1) };
    while left > 0 {
        barrier();
        left -= 1;
    }
}

/// States a launch shape twice, and in a function that is not inlined.
#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn states_two_shapes(out: *mut u32) {
    unsafe {
        asm!("// entry: .reqntid 128, 1, 1", options(nomem, nostack, preserves_flags));
        asm!("// entry: .reqntid 256, 1, 1", options(nomem, nostack, preserves_flags));
        *out = 1;
    }
}

#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn states_a_shape_apart(out: *mut u32) {
    #[inline(never)]
    fn shape(value: u32) -> u32 {
        unsafe { asm!("// entry: .maxnreg 40", options(nomem, nostack, preserves_flags)) }
        value + 1
    }
    unsafe { *out = shape(*out) }
}
