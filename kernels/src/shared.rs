//! A gather through dynamic shared memory: every thread reads what others stored.

use ptx::global::{Global, GlobalElementsMut};
use ptx::launch::{Block, Cta};
use ptx::shared::SharedArray;

/// The most words; the launch gives shared memory for them.
const N: usize = 4096;
const THREADS: u32 = 128;

/// output\[i\] ← input\[(7 i + 3) mod n\] for i < n. One CTA of 128 threads, n at most 4096, 16 KiB of dynamic shared memory.
///
/// # Safety
///
/// - called once by every thread, at the kernel's start.
/// - `input` and `output` are the addresses, aligned to 16 bytes, of `n` words of global memory each, which do not overlap.
/// - until the grid ends nobody writes the input, and nobody else uses the output.
#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn shared_gather(input: *const u32, output: *mut u32, n: u32) {
    // SAFETY: the kernel's first call; control flow depends on what all threads of the CTA have in common.
    let (cta, (), dynamic) = unsafe { Cta::enter_with::<(), Block<THREADS>>() };
    // Nothing changes, but that indices below `n` need no check.
    let n = n.min(N as u32);
    // SAFETY: the contract above; every thread makes the same handles, once.
    let (input, output) =
        unsafe { (Global::from_raw(input, n as usize), GlobalElementsMut::from_raw(output, n)) };
    let (words, _) = dynamic.take::<SharedArray<u32, N>>();

    cta.async_scope_last(words, |cta, words| {
        let words = words.element_stores();
        let mut i = cta.thread_rank();
        while let Some(word) = input.get(i as usize) {
            words.set(i as usize, word);
            i += THREADS;
        }
        let words = words.publish(cta);
        output.elements(cta).for_each(|(i, element)| {
            let j = (7 * i as u32 + 3) % n; // there is an element, so `n` is not 0
            element.write(words.get(j as usize).unwrap_or(0));
        });
        words.end()
    });
}
