//! Loops that LLVM would unswitch, thread or unroll.

use crate::{THREADS, Words, thread};

/// Runs a loop with a branch whose condition is the same in each round.
#[unsafe(no_mangle)]
unsafe extern "ptx-kernel" fn canary_unswitched(out: *mut u32, seed: u32) {
    let (out, thread) = (Words(out), thread());
    let even = thread % 2 == 0;
    let rounds = 4 + seed % 4;
    let mut mine = seed ^ thread;
    let mut round = 0;
    while round < rounds {
        let base = round % 2 * THREADS;
        if even {
            out.set(base + thread, mine);
            out.set(base + thread + 1, !mine);
        }
        // SAFETY: every thread runs the same number of rounds.
        unsafe { convergent!("barrier.cta.sync.aligned 0; // site:unswitched") };
        if even {
            mine = mine.wrapping_mul(3) ^ out.get(base + (thread + 35) % THREADS);
        } else {
            mine = mine.rotate_left(3) ^ out.get(base + (thread + 33) % THREADS);
        }
        round += 1;
    }
    out.set(2 * THREADS + thread, mine);
}

/// Runs a state machine whose state differs between threads.
#[unsafe(no_mangle)]
unsafe extern "ptx-kernel" fn canary_state_machine(out: *mut u32, seed: u32) {
    let (out, thread) = (Words(out), thread());
    let rounds = 4 + seed % 4;
    let mut mine = seed ^ thread;
    let mut state = 0u32;
    let mut round = 0;
    while round < rounds {
        match state {
            0 => {
                mine = mine.wrapping_mul(3);
                state = if mine & 3 == 0 { 1 } else { 2 };
            }
            1 => {
                mine = mine.wrapping_add(thread);
                state = 2;
            }
            2 => {
                mine ^= 0x5555;
                state = if mine % 8 < 3 { 3 } else { 0 };
            }
            _ => {
                mine = mine.rotate_left(7);
                state = 0;
            }
        }
        let base = round % 2 * THREADS;
        out.set(base + thread, mine);
        // SAFETY: every thread runs the same number of rounds.
        unsafe { convergent!("barrier.cta.sync.aligned 0; // site:state_machine") };
        mine ^= out.get(base + (thread + 33) % THREADS);
        round += 1;
    }
    out.set(2 * THREADS + thread, mine);
}

/// Runs a loop that LLVM may unroll: every thread runs the same number of rounds.
#[unsafe(no_mangle)]
unsafe extern "ptx-kernel" fn canary_unrolled(out: *mut u32, seed: u32) {
    let (out, thread) = (Words(out), thread());
    let mut mine = seed ^ thread;
    let mut round = 0;
    while round < 4 {
        let base = round % 2 * THREADS;
        out.set(base + thread, mine);
        // SAFETY: every thread runs the same number of rounds.
        unsafe { convergent!("barrier.cta.sync.aligned 0; // site:unrolled") };
        mine = mine.wrapping_mul(3) ^ out.get(base + (thread + 33) % THREADS);
        round += 1;
    }
    out.set(2 * THREADS + thread, mine);
}

/// Returns the lanes that run round `round` of a loop of `lane % 16 + 1` rounds.
#[inline(always)]
fn lanes_in(round: u32) -> u32 {
    0x0001_0001 * (0xffff << round & 0xffff)
}

/// Votes in a loop whose number of rounds differs between lanes.
#[unsafe(no_mangle)]
unsafe extern "ptx-kernel" fn canary_divergent_trips(out: *mut u32, seed: u32) {
    let (out, thread) = (Words(out), thread());
    let rounds = thread % 16 + 1;
    let mut mine = seed ^ thread;
    let mut round = 0;
    while round < rounds {
        let votes: u32;
        // SAFETY: the mask has the lanes of this round.
        unsafe {
            convergent!(
                "{{ .reg .pred p; setp.gt.u32 p, {mine}, 0x7fffffff; vote.sync.ballot.b32 {votes}, p, {mask}; }} // site:divergent_trips",
                [mine = in(reg32) mine, mask = in(reg32) lanes_in(round), votes = out(reg32) votes]
            )
        };
        mine = mine.rotate_left(1) ^ votes;
        round += 1;
    }
    out.set(thread, mine);
}

/// Shuffles in a loop whose number of rounds differs between lanes, with a branch inside.
#[unsafe(no_mangle)]
unsafe extern "ptx-kernel" fn canary_divergent_trips_shuffle(out: *mut u32, seed: u32) {
    let (out, thread) = (Words(out), thread());
    let rounds = thread % 16 + 1;
    let high = thread & 16 != 0;
    let mut mine = seed ^ thread;
    let mut round = 0;
    while round < rounds {
        if high {
            out.set(round * THREADS + thread, mine);
        }
        let theirs: u32;
        // SAFETY: the mask has the lanes of this round, and each source lane is one of them.
        unsafe {
            convergent!(
                "shfl.sync.bfly.b32 {theirs}, {mine}, 16, 31, {mask}; // site:divergent_trips_shuffle",
                [mine = in(reg32) mine, mask = in(reg32) lanes_in(round), theirs = out(reg32) theirs]
            )
        };
        if high {
            out.set(round * THREADS + thread - 16, theirs);
        }
        mine = mine.wrapping_mul(3) ^ theirs;
        round += 1;
    }
    out.set(16 * THREADS + thread, mine);
}
