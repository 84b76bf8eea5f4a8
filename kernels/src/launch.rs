//! Programmatic dependent launch: a grid starts before the previous grid has ended, and waits before it accesses that grid's
//! memory.

use ptx::global::{Global, GlobalElementsMut};
use ptx::launch::{Block, Cta, Prerequisite};

/// `output[i]` ← 3 * `input[i]` + i, for i < n.
///
/// Launch: a 1-D grid of any size, 128 threads per CTA, with or without programmatic dependent launch.
///
/// Technique: [`Prerequisite`] (`cudaGridDependencySynchronize()`) and `launch_dependents`
/// (`cudaTriggerProgrammaticLaunchCompletion()`).
///
/// # Safety
///
/// - The grid has this launch shape. Every thread calls the function once, at the kernel's start.
/// - `input` and `output` are the 16-byte aligned addresses of `n` words of global memory each. They do not overlap. `n` plus the
///   number of threads of the grid is less than 2^32.
/// - From the completion of the grids before this one until this grid ends, no thread writes the input, and only this grid
///   accesses the output.
#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn launch_dependent(input: *const u32, output: *mut u32, n: u32) {
    // SAFETY: clause 1 of `# Safety`. The collective calls below depend on no condition.
    let (cta, (), _) = unsafe { Cta::enter_with::<(), Block<128>>() };
    // SAFETY: clauses 2 and 3 of `# Safety`. Every thread makes each handle once, with equal arguments.
    let memory = unsafe {
        Prerequisite::new((Global::from_raw(input, n as usize), GlobalElementsMut::from_raw(output, n)))
    };
    // The next grid may start: its own `wait` waits for the end of this grid.
    cta.launch_dependents();
    let (input, output) = memory.wait(&cta);
    output.elements(&cta).for_each(|(i, element)| {
        element.write(input.get(i).unwrap_or(0).wrapping_mul(3).wrapping_add(i as u32));
    });
}
