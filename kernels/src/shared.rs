//! A gather through dynamic shared memory: each thread reads words that other threads stored.

use ptx::global::{Global, GlobalElementsMut};
use ptx::launch::{Block, Cta};
use ptx::shared::SharedArray;

/// The most words. The launch adds shared memory for them.
const N: usize = 4096;
const THREADS: u32 = 128;

/// `output[i]` ← `input[(7 * i + 3) % n]` for i < n ≤ 4096.
///
/// Launch: 1 CTA of 128 threads, 16 KiB of dynamic shared memory.
///
/// # Safety
///
/// - The grid has this launch shape. Every thread calls the function once, at the kernel's start.
/// - `input` and `output` are the 16-byte aligned addresses of `n` words of global memory each. They do not overlap.
/// - Until the grid ends, no thread writes the input, and only this grid accesses the output.
#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn shared_gather(input: *const u32, output: *mut u32, n: u32) {
    // SAFETY: clause 1 of `# Safety`. The collective calls below depend on no condition.
    let (cta, (), dynamic) = unsafe { Cta::enter_with::<(), Block<THREADS>>() };
    // `n` is at most `N`; the compiler now knows it and checks no index below `n`.
    let n = n.min(N as u32);
    // SAFETY: clauses 2 and 3 of `# Safety`. Every thread makes each handle once, with equal arguments.
    let (input, output) =
        unsafe { (Global::from_raw(input, n as usize), GlobalElementsMut::from_raw(output, n)) };
    let (words, _) = dynamic.take::<SharedArray<u32, N>>();

    cta.finish(words, |cta, words| {
        let words = words.element_stores();
        let mut i = cta.thread_rank();
        while let Some(word) = input.get(i as usize) {
            words.set(i as usize, word);
            i += THREADS;
        }
        let words = words.publish().sync(cta);
        output.elements(cta).for_each(|(i, element)| {
            let j = (7 * i as u32 + 3) % n; // an element exists, so `n` is not 0
            element.write(words.get(j as usize).unwrap_or(0));
        });
        words.end()
    });
}
