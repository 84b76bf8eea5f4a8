//! Kernels that come out wrong where the compiler copies, merges, hoists or sinks a convergent instruction.
//!
//! Each runs as one CTA of 128 threads over `out`, has no races, and gives what `gpu/src/canary.rs` computes
//! from the seed. Each instruction to watch bears a mark, `// site:…`, by which `tests/canaries` finds its copies
//! in the PTX. All copies of a site have one text, so that to LLVM they are as alike as a user's would be.

#![no_std]
#![feature(abi_ptx, asm_experimental_arch)]
#![cfg_attr(feature = "label", feature(asm_goto_with_outputs, core_intrinsics), allow(internal_features))]

#[macro_use]
mod convergent;

mod arms;
mod barriers;
mod exits;
mod loops;

use core::arch::asm;

const THREADS: u32 = 128;

#[panic_handler]
fn panic(_: &core::panic::PanicInfo) -> ! {
    // Not reached: nothing here panics.
    loop {}
}

#[inline(always)]
fn thread() -> u32 {
    let index: u32;
    // SAFETY: reads a special register.
    unsafe { asm!("mov.u32 {}, %tid.x;", out(reg32) index, options(pure, nomem, nostack, preserves_flags)) }
    index
}

/// The words that a canary writes and reads.
#[derive(Clone, Copy)]
struct Words(*mut u32);

impl Words {
    #[inline(always)]
    fn set(self, index: u32, value: u32) {
        // SAFETY: the canary's `out` is longer than any index it uses, and no other thread accesses the word
        // before the next barrier.
        unsafe { *self.0.add(index as usize) = value }
    }

    #[inline(always)]
    fn get(self, index: u32) -> u32 {
        // SAFETY: as above; the word was written before the last barrier, or by this thread.
        unsafe { *self.0.add(index as usize) }
    }
}
