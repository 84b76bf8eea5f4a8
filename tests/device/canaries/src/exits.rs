//! Instructions of the remaining threads after other threads have returned.

use core::arch::asm;

use crate::{Words, thread};

const FIRST_LANE_TO_LEAVE: u32 = 24;
const LANES_LEFT: u32 = (1 << FIRST_LANE_TO_LEAVE) - 1;

/// Marks an early return for readers of the PTX; emits no instruction.
#[inline(always)]
fn leave() {
    // SAFETY: a PTX comment emits no instruction.
    unsafe { asm!("// leave", options(nomem, nostack, preserves_flags)) }
}

/// Executes a barrier of the remaining threads. The barrier does not wait for threads that have exited.
#[unsafe(no_mangle)]
unsafe extern "ptx-kernel" fn canary_early_exit_barrier(out: *mut u32, seed: u32) {
    let (out, thread) = (Words(out), thread());
    if thread % 32 >= FIRST_LANE_TO_LEAVE {
        out.set(thread, seed);
        leave();
        return;
    }
    let even = thread % 2 == 0;
    if even {
        out.set(thread, seed ^ thread);
    }
    // SAFETY: every thread that has not exited executes the barrier, and the barrier does not wait for the others.
    unsafe { convergent!("barrier.cta.sync 0; // site:early_exit_barrier") };
    if even {
        out.set(thread + 1, out.get(thread ^ 64).wrapping_mul(3));
    }
}

/// Executes a shuffle among the remaining lanes of a warp, between two uses of one condition.
#[unsafe(no_mangle)]
unsafe extern "ptx-kernel" fn canary_early_exit_shuffle(out: *mut u32, seed: u32) {
    let (out, thread) = (Words(out), thread());
    let lane = thread % 32;
    if lane >= FIRST_LANE_TO_LEAVE {
        out.set(thread, !seed);
        leave();
        return;
    }
    let odd = lane % 2 == 1;
    let mut mine = seed ^ thread;
    if odd {
        out.set(128 + thread, mine);
        mine = mine.wrapping_mul(5);
    }
    let theirs: u32;
    // SAFETY: the mask has the remaining lanes, and each source lane is one of them.
    unsafe {
        convergent!(
            "shfl.sync.bfly.b32 {theirs}, {mine}, 7, 31, {mask}; // site:early_exit_shuffle",
            [mine = in(reg32) mine, mask = const LANES_LEFT, theirs = out(reg32) theirs]
        )
    };
    if odd {
        out.set(128 + thread - 1, theirs);
    }
    out.set(thread, mine ^ theirs);
}
