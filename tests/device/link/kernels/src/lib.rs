//! Kernels that link without a warning.

#![no_std]
#![feature(abi_ptx, asm_experimental_arch)]

use core::arch::asm;

use link_shared::thread;

link_shared::shared_memory!(tile, 128);

#[panic_handler]
fn panic(_: &core::panic::PanicInfo) -> ! {
    loop {}
}

#[inline(always)]
fn barrier() {
    unsafe { asm!("barrier.cta.sync 0;", options(nostack, preserves_flags)) }
}

#[inline(always)]
fn active() -> u32 {
    let mask: u32;
    unsafe { asm!("activemask.b32 {0};", out(reg32) mask, options(nomem, nostack, preserves_flags)) }
    mask
}

/// Executes a barrier that LLVM, without marks, copies into both branches to join them.
#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn barrier_between(first: *mut u32, second: *mut u32) {
    let thread = thread();
    if thread == 0 {
        unsafe { *first = 1 }
    }
    barrier();
    if thread == 0 {
        unsafe { *second = 2 }
    }
}

/// Executes code in both arms that LLVM, without marks, moves above the branch.
#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn mask_in_both_arms(out: *mut u32, limit: u32) {
    let mask = if thread() < limit { active() } else { active() };
    unsafe { *out.add(thread() as usize) = mask }
}

/// Uses the form for linkers that set no marks: an asm goto.
#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn labeled(out: *mut u32) {
    unsafe {
        asm!("barrier.cta.sync 1; // {never}", never = label { unsafe { core::hint::unreachable_unchecked() } });
        *out = 1;
    }
}

/// Executes nothing convergent, so the marks must not change any instruction.
#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn plain(input: *const f32, out: *mut f32, count: usize, bar: u32) {
    #[inline(never)]
    fn scale(value: f32, by: f32) -> f32 {
        value * by + 1.0
    }
    let mut index = thread() as usize;
    while index < count {
        let done: u32;
        unsafe {
            asm!(
                "{{",
                ".reg .pred p;",
                "mbarrier.test_wait.parity.shared::cta.b64 p, [{bar}], 0;",
                "selp.u32 {done}, 1, 0, p;",
                "}}",
                bar = in(reg32) bar,
                done = out(reg32) done,
                options(nostack, preserves_flags)
            );
            let value = *input.add(index);
            *out.add(index) = if done != 0 { value } else { scale(value, 2.0) };
        }
        index += 256;
    }
}

#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn needs_8_6(out: *mut u32) {
    unsafe {
        asm!("fence.acq_rel.cta; // ptx:8.6", "fence.acq_rel.cta; // ptx:8.1", options(nostack));
        *out = 1;
    }
}

#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn needs_9_4(out: *mut u32) {
    unsafe {
        asm!("fence.acq_rel.cta; // ptx:9.4", options(nostack));
        *out = 1;
    }
}

#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn addresses(out: *mut u32) {
    unsafe {
        *out = tile::address();
        *out.add(1) = link_shared::tile::address();
        *out.add(2) = link_shared::first::address();
        *out.add(3) = link_shared::second::address(*out);
    }
}

/// Computes with wide integers and floats, for which other targets call compiler-builtins.
#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn wide(out: *mut u128, by: u128, float: *mut f64) {
    unsafe {
        *out = (*out).checked_div(by).unwrap_or(0).wrapping_mul(by);
        *float = *float % 3.0;
    }
}

/// Has the word by which the linker knows the asm of `ptx` in a string and in a comment of asm, and words of LLVM IR in a string.
#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn has_words_of_the_linker(out: *mut [u8; 120], index: usize) {
    static TEXT: [u8; 120] =
        *b"link_this_kernel_with_ptx_link_99_7; = external addrspace(3) !DICompileUnit(emissionKind: FullDebug link_this_kernel____";
    unsafe {
        asm!("// link_this_kernel_with_ptx_link_99_7; bar.sync 0;", options(nostack));
        *out = TEXT;
        (*out)[index % 120] = 0;
    }
}
