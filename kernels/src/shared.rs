//! A gather through dynamic shared memory: every thread reads what others stored.

use ptx::global::{Global, GlobalMut};
use ptx::launch::Cta;
use ptx::shared::SharedArray;

/// The most words; the launch gives shared memory for them.
const N: usize = 4096;

/// output\[i\] ← input\[(7 i + 3) mod n\] for i < n. One CTA, n at most 4096, 16 KiB of dynamic shared memory.
///
/// # Safety
///
/// - called once by every thread, at the kernel's start.
/// - `input` and `output` are the addresses, aligned to 16 bytes, of `n` words of global memory each, which do not overlap.
/// - until the grid ends nobody writes the input, and nobody else uses the output.
#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn shared_gather(input: *const u32, output: *mut u32, n: u32) {
    // SAFETY: the kernel's first call; control flow depends on what all threads of the CTA have in common.
    let (cta, (), dynamic) = unsafe { Cta::enter::<()>() };
    let n = n as usize;
    // SAFETY: the contract above; every thread makes the same handles, once. (One tile is more than the output has, so that
    // all of it is the tail.)
    let (input, output) =
        unsafe { (Global::from_raw(input, n), GlobalMut::<_, { 2 * N }>::from_raw(output, n)) };
    let (words, _) = dynamic.take::<SharedArray<u32, N>>();

    cta.lend(words, |cta, words| {
        let words = words.write(cta, |i| input.get(i).unwrap_or(0)).publish(cta);
        output
            .tiles(cta)
            .1
            .update(cta, |i, _| (7 * i + 3).checked_rem(n).and_then(|j| words.get(j)).unwrap_or(0));
        words.to_async(cta).into_free()
    });
}
