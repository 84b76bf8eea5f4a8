//! A grid that starts before the one it depends on has ended, and waits for its memory where it needs it.

use ptx::global::{Global, GlobalElementsMut};
use ptx::launch::{Block, Cta, Prerequisite};

/// output\[i\] ← 3 input\[i\] + i, for i < n. Launched with or without programmatic dependent launch, in any row of
/// CTAs of 128 threads.
///
/// # Safety
///
/// - called once by every thread, at the kernel's start.
/// - `input` and `output` are the addresses, aligned to 16 bytes, of `n` words of global memory each, which do not overlap; `n` and the threads of
///   the grid are fewer than 2^32 together.
/// - once the grids before this one are complete, nobody writes the input and nobody else uses the output until it ends.
#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn launch_dependent(input: *const u32, output: *mut u32, n: u32) {
    // SAFETY: the kernel's first call; control flow depends on what all threads of the CTA have in common; grids are rows.
    let (cta, (), _) = unsafe { Cta::enter_with::<(), Block<128>>() };
    // SAFETY: the contract above; every thread makes the same handles, once.
    let memory = unsafe {
        Prerequisite::new((Global::from_raw(input, n as usize), GlobalElementsMut::from_raw(output, n)))
    };
    // The grid that depends on this one may start too: it waits for this one's end by its own `wait`.
    cta.launch_dependents();
    let (input, output) = memory.wait(&cta);
    output.elements(&cta).for_each(|(i, element)| {
        element.write(input.get(i).unwrap_or(0).wrapping_mul(3).wrapping_add(i as u32));
    });
}
