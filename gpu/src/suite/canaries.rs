//! Expected output of each canary, computed thread by thread with the steps of `tests/device/canaries/src`.

use std::array::from_fn;

use super::table::{Suite, THREADS, kernel};
use crate::guard::POISON;

/// The convergence canaries.
pub const SUITE: Suite = Suite {
    name: "canaries",
    kernels: &[
        kernel("canary_two_uses", two_uses),
        kernel("canary_flag_set", flag_set),
        kernel("canary_inlined_twice", inlined_twice),
        kernel("canary_raw_two_uses", raw_two_uses),
        kernel("canary_raw_flag_set", flag_set),
        kernel("canary_both_arms", both_arms),
        kernel("canary_early_exit_barrier", early_exit_barrier),
        kernel("canary_early_exit_shuffle", early_exit_shuffle),
        kernel("canary_unswitched", unswitched),
        kernel("canary_state_machine", state_machine),
        kernel("canary_unrolled", unrolled),
        kernel("canary_divergent_trips", divergent_trips),
        kernel("canary_divergent_trips_shuffle", divergent_trips_shuffle),
        kernel("canary_function_table", function_table),
        kernel("canary_object_table", object_table),
        kernel("canary_closure_table", closure_table),
    ],
};

const N: usize = THREADS as usize;
const LANES: usize = 32;
/// The first lane that returns early, in the canaries in which lanes return early.
const FIRST_LANE_TO_LEAVE: usize = 24;

/// One value per thread.
type Threads = [u32; N];

fn all(value: impl Fn(u32) -> u32) -> Threads {
    from_fn(|thread| value(thread as u32))
}

fn is_even(thread: usize) -> bool {
    thread.is_multiple_of(2)
}

pub fn two_uses(seed: u32) -> Vec<u32> {
    let first = all(|thread| seed ^ thread);
    pairs(|thread| first[thread], |thread| first[(thread + 64) % N].wrapping_mul(3))
}

pub fn raw_two_uses(seed: u32) -> Vec<u32> {
    let first = all(|thread| seed.wrapping_sub(thread));
    pairs(|thread| first[thread], |thread| first[(thread + 32) % N].wrapping_mul(3))
}

/// Returns the output of pairs: each even thread writes its own word, then the word of the next thread.
fn pairs(own: impl Fn(usize) -> u32, next: impl Fn(usize) -> u32) -> Vec<u32> {
    (0..N).map(|at| if is_even(at) { own(at) } else { next(at - 1) }).collect()
}

pub fn flag_set(seed: u32) -> Vec<u32> {
    let flagged = all(|thread| u32::from(seed.wrapping_add(thread).is_multiple_of(2)));
    let first = all(|thread| seed.wrapping_add(thread));
    (0..N).map(|at| if flagged[at] == 1 { first[at] } else { first[at ^ 1 ^ 96].wrapping_mul(5) }).collect()
}

pub fn inlined_twice(seed: u32) -> Vec<u32> {
    let (first, mine) = exchange(all(|thread| seed ^ thread));
    let (second, mine) = exchange(mine.map(|value| value.wrapping_mul(7)));
    [first, second, mine].concat()
}

/// Returns the words in memory, and the value of each thread afterwards.
fn exchange(values: Threads) -> (Threads, Threads) {
    let is_low = |thread: usize| thread & 4 == 0;
    let words: Threads = from_fn(|at| if is_low(at) { values[at] } else { !values[at - 4] });
    let mine = from_fn(|thread| match is_low(thread) {
        true => words[thread ^ 68],
        false => values[thread] ^ words[thread ^ 36],
    });
    (words, mine)
}

pub fn both_arms(_: u32) -> Vec<u32> {
    vec![1; N]
}

pub fn early_exit_barrier(seed: u32) -> Vec<u32> {
    let first = all(|thread| seed ^ thread);
    let mut out = pairs(|thread| first[thread], |thread| first[thread ^ 64].wrapping_mul(3));
    for warp in out.as_chunks_mut::<LANES>().0 {
        warp[FIRST_LANE_TO_LEAVE..].fill(seed);
    }
    out
}

pub fn early_exit_shuffle(seed: u32) -> Vec<u32> {
    let before = all(|thread| seed ^ thread);
    let mine: Threads = from_fn(|at| if is_even(at) { before[at] } else { before[at].wrapping_mul(5) });
    let theirs: Threads = from_fn(|at| mine[at ^ 7]);
    let has_left = |thread: usize| thread % LANES >= FIRST_LANE_TO_LEAVE;
    let results = (0..N).map(|at| if has_left(at) { !seed } else { mine[at] ^ theirs[at] });
    let words = (0..N).map(|at| match at {
        _ if has_left(at) => POISON,
        _ if is_even(at) => theirs[at + 1],
        _ => before[at],
    });
    results.chain(words).collect()
}

/// Returns the output of a canary with a loop: two buffers, used alternately, then each thread's value.
fn rounds(count: u32, seed: u32, round: impl Fn(&mut Threads) -> Threads) -> Vec<u32> {
    let mut mine = all(|thread| seed ^ thread);
    let mut buffers = [[POISON; N]; 2];
    for at in 0..count as usize {
        buffers[at % 2] = round(&mut mine);
    }
    [buffers[0], buffers[1], mine].concat()
}

pub fn unrolled(seed: u32) -> Vec<u32> {
    rounds(4, seed, |mine| {
        let words = *mine;
        *mine = from_fn(|at| mine[at].wrapping_mul(3) ^ words[(at + 33) % N]);
        words
    })
}

pub fn unswitched(seed: u32) -> Vec<u32> {
    rounds(4 + seed % 4, seed, |mine| {
        let words: Threads = from_fn(|at| if is_even(at) { mine[at] } else { !mine[at - 1] });
        *mine = from_fn(|at| match is_even(at) {
            true => mine[at].wrapping_mul(3) ^ words[(at + 35) % N],
            false => mine[at].rotate_left(3) ^ words[(at + 33) % N],
        });
        words
    })
}

pub fn state_machine(seed: u32) -> Vec<u32> {
    let states = std::cell::Cell::new([0u8; N]);
    rounds(4 + seed % 4, seed, |mine| {
        let steps: [(u32, u8); N] = from_fn(|at| step(at as u32, mine[at], states.get()[at]));
        states.set(steps.map(|(_, state)| state));
        let words = steps.map(|(value, _)| value);
        *mine = from_fn(|at| words[at] ^ words[(at + 33) % N]);
        words
    })
}

/// Returns a thread's value and next state after its action in `state`.
fn step(thread: u32, value: u32, state: u8) -> (u32, u8) {
    match state {
        0 => {
            let value = value.wrapping_mul(3);
            (value, if value.is_multiple_of(4) { 1 } else { 2 })
        }
        1 => (value.wrapping_add(thread), 2),
        2 => {
            let value = value ^ 0x5555;
            (value, if value % 8 < 3 { 3 } else { 0 })
        }
        _ => (value.rotate_left(7), 0),
    }
}

/// Rounds of the loops that threads leave at different times.
const ROUNDS: usize = 16;

fn is_in_round(thread: usize, round: usize) -> bool {
    round <= thread % ROUNDS
}

pub fn divergent_trips(seed: u32) -> Vec<u32> {
    let mut mine = all(|thread| seed ^ thread);
    for round in 0..ROUNDS {
        let vote = |thread: usize| u32::from(is_in_round(thread, round) && mine[thread] > 0x7fff_ffff);
        let votes: Threads = from_fn(|thread| {
            let warp = thread - thread % LANES;
            (0..LANES).fold(0, |votes, lane| votes | vote(warp + lane) << lane)
        });
        mine =
            from_fn(|at| if is_in_round(at, round) { mine[at].rotate_left(1) ^ votes[at] } else { mine[at] });
    }
    mine.to_vec()
}

pub fn divergent_trips_shuffle(seed: u32) -> Vec<u32> {
    let mut mine = all(|thread| seed ^ thread);
    let mut out = Vec::new();
    for round in 0..ROUNDS {
        let theirs: Threads = from_fn(|at| mine[at ^ 16]);
        // The high half of a warp writes its own values, and next to them the values that it got from the low half.
        let word = |at: usize| if at & 16 != 0 { mine[at] } else { theirs[at + 16] };
        out.extend((0..N).map(|at| if is_in_round(at, round) { word(at) } else { POISON }));
        mine = from_fn(|at| match is_in_round(at, round) {
            true => mine[at].wrapping_mul(3) ^ theirs[at],
            false => mine[at],
        });
    }
    out.extend(mine);
    out
}

pub fn function_table(seed: u32) -> Vec<u32> {
    met(|thread| seed ^ thread, 3)
}

pub fn object_table(seed: u32) -> Vec<u32> {
    met(|thread| seed.wrapping_add(thread), 5)
}

pub fn closure_table(seed: u32) -> Vec<u32> {
    met(|thread| seed ^ thread, 7)
}

/// Returns the values that the threads write before a barrier, and those that they read after it, times `factor`.
fn met(value: impl Fn(u32) -> u32, factor: u32) -> Vec<u32> {
    let words = all(value);
    let read: Threads = from_fn(|at| words[(at + 33) % N].wrapping_mul(factor));
    [words, read].concat()
}
