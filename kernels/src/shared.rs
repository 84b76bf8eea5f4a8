//! A gather through dynamic shared memory: each thread reads words that other threads stored.

use ptx::global::{Global, GlobalElementsMut};
use ptx::group::Cta;
use ptx::shared::SharedArray;

/// The most words. The launch adds shared memory for them.
const N: usize = 4096;
const THREADS: u32 = 128;

/// `output[i]` ← `input[(7 * i + 3) % n]` for i < n ≤ 4096.
///
/// Launch: 1 CTA of 128 threads, 16 KiB of dynamic shared memory.
#[ptx::kernel(threads = THREADS)]
pub fn shared_gather(
    cta: Cta,
    #[dynamic] words: SharedArray<u32, N>,
    #[len(n)] input: Global<u32>,
    #[len(n)] output: GlobalElementsMut<u32, u32>,
    n: u32,
) {
    // A length is at most `N`; the compiler now knows it and checks no index below `n`.
    let n = n.min(N as u32);

    cta.finish(words, |cta, words| {
        let words = words.element_stores();
        let mut i = cta.thread_rank();
        while i < n {
            words.set(i as usize, input.get(i as usize).unwrap_or(0));
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
