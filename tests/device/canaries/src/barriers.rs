//! Barriers that jump threading would copy into both arms of a branch.

use crate::{THREADS, Words, thread};

/// Executes a barrier between two uses of one condition.
#[unsafe(no_mangle)]
unsafe extern "ptx-kernel" fn canary_two_uses(out: *mut u32, seed: u32) {
    let (out, thread) = (Words(out), thread());
    let even = thread % 2 == 0;
    if even {
        out.set(thread, seed ^ thread);
    }
    // SAFETY: every thread of the CTA executes this instruction, from this one place.
    unsafe { convergent!("barrier.cta.sync.aligned 0; // site:two_uses") };
    if even {
        out.set(thread + 1, out.get((thread + 64) % THREADS).wrapping_mul(3));
    }
}

/// Executes a barrier after a flag set in a branch.
#[unsafe(no_mangle)]
unsafe extern "ptx-kernel" fn canary_flag_set(out: *mut u32, seed: u32) {
    let (out, thread) = (Words(out), thread());
    let mut flag = false;
    if thread.wrapping_add(seed) % 2 == 0 {
        out.set(thread, seed.wrapping_add(thread));
        flag = true;
    }
    // SAFETY: every thread of the CTA executes this instruction, from this one place.
    unsafe { convergent!("barrier.cta.sync.aligned 0; // site:flag_set") };
    if flag {
        out.set(thread ^ 1, out.get(thread ^ 96).wrapping_mul(5));
    }
}

/// Executes a barrier in a helper that is inlined at two sites.
#[unsafe(no_mangle)]
unsafe extern "ptx-kernel" fn canary_inlined_twice(out: *mut u32, seed: u32) {
    let (out, thread) = (Words(out), thread());
    let mine = exchange(out, thread, 0, seed ^ thread);
    let mine = exchange(out, thread, THREADS, mine.wrapping_mul(7));
    out.set(2 * THREADS + thread, mine);
}

#[inline(always)]
fn exchange(out: Words, thread: u32, base: u32, value: u32) -> u32 {
    let low = thread & 4 == 0;
    if low {
        out.set(base + thread, value);
        out.set(base + thread + 4, !value);
    }
    // SAFETY: every thread of the CTA calls this function.
    unsafe { convergent!("barrier.cta.sync.aligned 0; // site:inlined_twice") };
    if low { out.get(base + (thread ^ 68)) } else { value ^ out.get(base + (thread ^ 36)) }
}

/// Executes the barrier of the raw layer between two uses of one condition.
#[unsafe(no_mangle)]
unsafe extern "ptx-kernel" fn canary_raw_two_uses(out: *mut u32, seed: u32) {
    use ptx::qualifier::convergence::Aligned;
    let (out, thread) = (Words(out), thread());
    let even = thread % 2 == 0;
    if even {
        out.set(thread, seed.wrapping_sub(thread));
    }
    // SAFETY: every thread of the CTA executes this instruction, from this one place.
    unsafe { ptx::raw::barrier_cta_sync(Aligned, 0, ptx::qualifier::threads::All) };
    if even {
        out.set(thread + 1, out.get((thread + 32) % THREADS).wrapping_mul(3));
    }
}

/// Executes the counted barrier of the raw layer after a flag set in a branch.
#[unsafe(no_mangle)]
unsafe extern "ptx-kernel" fn canary_raw_flag_set(out: *mut u32, seed: u32) {
    use ptx::qualifier::convergence::Unaligned;
    let (out, thread) = (Words(out), thread());
    let mut flag = false;
    if thread.wrapping_add(seed) % 2 == 0 {
        out.set(thread, seed.wrapping_add(thread));
        flag = true;
    }
    // SAFETY: every thread of the CTA executes this instruction, and their number is a multiple of the warp size.
    unsafe { ptx::raw::barrier_cta_sync(Unaligned, 3, ptx::qualifier::threads::Count(THREADS)) };
    if flag {
        out.set(thread ^ 1, out.get(thread ^ 96).wrapping_mul(5));
    }
}
