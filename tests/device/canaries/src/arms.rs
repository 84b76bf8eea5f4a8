//! One instruction in both arms of a branch, which LLVM would like to make once above it.

use crate::{Words, thread};

const EVEN_LANES: u32 = 0x5555_5555;

/// `activemask` in both arms: it must see its own arm's lanes only.
#[unsafe(no_mangle)]
unsafe extern "ptx-kernel" fn canary_both_arms(out: *mut u32, seed: u32) {
    let (out, thread) = (Words(out), thread());
    let mask: u32;
    if thread.wrapping_add(seed) % 2 == 0 {
        // SAFETY: reads which lanes are here.
        unsafe { convergent!("activemask.b32 {mask}; // site:both_arms", [mask = out(reg32) mask]) };
    } else {
        // SAFETY: reads which lanes are here.
        unsafe { convergent!("activemask.b32 {mask}; // site:both_arms", [mask = out(reg32) mask]) };
    }
    let own_arm = EVEN_LANES << (thread % 2);
    let own_lane = mask >> (thread % 32) & 1;
    out.set(thread, (mask & !own_arm) | own_lane);
}
