//! Kernels whose threads do not make their collective calls together, with the feature `checked`. `tests/checked.rs` compares
//! their PTX. On a GPU each prints what `gpu/src/checked_checks.rs` expects, and traps.

#![no_std]
#![feature(abi_ptx, asm_experimental_arch)]

use ptx::group::Cta;

ptx::panic_handler!(print);

/// Makes the call in a part of the CTA only. The other threads exit.
#[ptx::kernel(unsafe(uniform), threads = 128)]
pub fn in_a_branch(cta: Cta) {
    if cta.thread_rank() < 32 {
        cta.sync();
    }
}

/// Makes different calls in two parts of the CTA.
#[allow(clippy::if_same_then_else, reason = "the calls differ in their place")]
#[ptx::kernel(unsafe(uniform), threads = 128)]
pub fn at_two_places(cta: Cta) {
    if cta.warp_rank() == 1 {
        cta.sync();
    } else {
        cta.sync();
    }
}

/// Returns early in one thread.
#[ptx::kernel(unsafe(uniform), threads = 128)]
pub fn after_an_early_return(cta: Cta) {
    cta.sync();
    if cta.thread_rank() == 77 {
        return;
    }
    cta.sync();
}

/// Makes one call of the warp in some lanes, and another call in the others.
#[ptx::kernel(unsafe(uniform), threads = 64)]
pub fn in_some_lanes(cta: Cta) {
    let warp = cta.warp();
    if warp.lane().is_multiple_of(2) {
        warp.sync();
    } else {
        _ = warp.ballot(true);
    }
}

/// Makes the call in all threads but one, which loops.
#[ptx::kernel(unsafe(uniform), threads = 128)]
pub fn without_one_thread(cta: Cta) {
    while cta.thread_rank() == 77 {
        core::hint::spin_loop();
    }
    cta.sync();
}
