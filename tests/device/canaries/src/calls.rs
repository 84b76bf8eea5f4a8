//! Calls through pointers: LLVM would make a switch of the call, with a copy of the barrier in each arm.

use crate::{THREADS, Words, thread};

/// Exchanges values between threads, at a barrier that all threads reach through one call.
#[inline(never)]
fn meet(out: Words, value: u32) -> u32 {
    let thread = thread();
    out.set(thread, value);
    // SAFETY: every thread of the CTA calls this function, from one place.
    unsafe { convergent!("barrier.cta.sync.aligned 0; // site:meet") };
    out.get((thread + 33) % THREADS)
}

/// Has no barrier. No thread calls this function: LLVM does not know that.
#[inline(never)]
fn pass_by(out: Words, value: u32) -> u32 {
    out.get(value % THREADS)
}

/// Returns the first entry of a table to even threads and the last to odd ones. The two are equal, which LLVM does not know.
#[inline(always)]
fn entry<T: Copy>(table: &[T; 3], thread: u32) -> T {
    // SAFETY: the index is 0 or 2. (A bounds check would be one more branch that depends on the thread.)
    unsafe { *table.as_ptr().add((thread % 2 * 2) as usize) }
}

static FUNCTIONS: [fn(Words, u32) -> u32; 3] = [meet, pass_by, meet];

/// Calls a function through a table.
#[unsafe(no_mangle)]
unsafe extern "ptx-kernel" fn canary_function_table(out: *mut u32, seed: u32) {
    let (out, thread) = (Words(out), thread());
    let theirs = entry(&FUNCTIONS, thread)(out, seed ^ thread);
    out.set(THREADS + thread, theirs.wrapping_mul(3));
}

trait Exchange: Sync {
    fn exchange(&self, out: Words, value: u32) -> u32;
}

struct Meet;

impl Exchange for Meet {
    fn exchange(&self, out: Words, value: u32) -> u32 {
        meet(out, value)
    }
}

struct PassBy;

impl Exchange for PassBy {
    fn exchange(&self, out: Words, value: u32) -> u32 {
        pass_by(out, value)
    }
}

static OBJECTS: [&dyn Exchange; 3] = [&Meet, &PassBy, &Meet];

/// Calls a method of a trait object from a table.
#[unsafe(no_mangle)]
unsafe extern "ptx-kernel" fn canary_object_table(out: *mut u32, seed: u32) {
    let (out, thread) = (Words(out), thread());
    let theirs = entry(&OBJECTS, thread).exchange(out, seed.wrapping_add(thread));
    out.set(THREADS + thread, theirs.wrapping_mul(5));
}

/// Calls a closure from a table.
#[unsafe(no_mangle)]
unsafe extern "ptx-kernel" fn canary_closure_table(out: *mut u32, seed: u32) {
    let (out, thread) = (Words(out), thread());
    let exchange = |value: u32| meet(out, value ^ seed);
    let stay = |value: u32| pass_by(out, value);
    let closures: [&dyn Fn(u32) -> u32; 3] = [&exchange, &stay, &exchange];
    let theirs = entry(&closures, thread)(thread);
    out.set(THREADS + thread, theirs.wrapping_mul(7));
}
