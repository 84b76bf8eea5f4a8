//! The same instruction in both arms of a branch: LLVM would hoist it above the branch.

use crate::{Words, thread};

const EVEN_LANES: u32 = 0x5555_5555;

/// Executes `activemask` in both arms, each of which sees only its own lanes.
#[unsafe(no_mangle)]
unsafe extern "ptx-kernel" fn canary_both_arms(out: *mut u32, seed: u32) {
    let (out, thread) = (Words(out), thread());
    let mask: u32;
    if thread.wrapping_add(seed) % 2 == 0 {
        // SAFETY: `activemask` only reads the mask of active lanes.
        unsafe { convergent!("activemask.b32 {mask}; // site:both_arms", [mask = out(reg32) mask]) };
    } else {
        // SAFETY: `activemask` only reads the mask of active lanes.
        unsafe { convergent!("activemask.b32 {mask}; // site:both_arms", [mask = out(reg32) mask]) };
    }
    let own_arm = EVEN_LANES << (thread % 2);
    let own_lane = mask >> (thread % 32) & 1;
    out.set(thread, (mask & !own_arm) | own_lane);
}
