//! Kernels that compute wrong results if the compiler copies, merges, hoists or sinks a convergent instruction.
//!
//! Each kernel runs as one CTA of 128 threads over `out` and has no races; `gpu/src/suite/canaries.rs` computes the expected
//! results from the seed. Each watched instruction has a mark `// site:…`, by which `tests/canaries` finds its copies in the PTX.
//! All copies of a site have the same text, so LLVM may merge them, as it may merge a user's asm.

#![no_std]
#![feature(abi_ptx, asm_experimental_arch)]
#![cfg_attr(feature = "label", feature(asm_goto_with_outputs, core_intrinsics), allow(internal_features))]

#[macro_use]
mod convergent;

mod arms;
mod barriers;
mod calls;
mod exits;
mod loops;

use core::arch::asm;

const THREADS: u32 = 128;

#[panic_handler]
fn panic(_: &core::panic::PanicInfo) -> ! {
    // This loop is unreachable: the kernels do not panic.
    loop {}
}

#[inline(always)]
fn thread() -> u32 {
    let index: u32;
    // SAFETY: the asm only reads a special register.
    unsafe { asm!("mov.u32 {}, %tid.x;", out(reg32) index, options(pure, nomem, nostack, preserves_flags)) }
    index
}

/// The words that a canary writes and reads.
#[derive(Clone, Copy)]
struct Words(*mut u32);

impl Words {
    #[inline(always)]
    fn set(self, index: u32, value: u32) {
        // SAFETY: `out` is longer than the indices of the canary, and no other thread accesses the word before the next barrier.
        unsafe { *self.0.add(index as usize) = value }
    }

    #[inline(always)]
    fn get(self, index: u32) -> u32 {
        // SAFETY: `out` is longer than the indices of the canary, and the word was written before the last barrier, or by this
        // thread.
        unsafe { *self.0.add(index as usize) }
    }
}
