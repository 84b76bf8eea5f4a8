//! Programmatic dependent launch: a grid starts before the previous grid has ended, and waits before it accesses that grid's
//! memory.

use ptx::global::{Global, GlobalElementsMut};
use ptx::group::Cta;
use ptx::launch::Prerequisite;

/// `output[i]` ← 3 * `input[i]` + i, for i < n.
///
/// Launch: a 1-D grid of any size, 128 threads per CTA, with or without programmatic dependent launch.
///
/// Technique: [`Prerequisite`] (`cudaGridDependencySynchronize()`) and `launch_dependents`
/// (`cudaTriggerProgrammaticLaunchCompletion()`).
#[ptx::kernel(threads = 128)]
pub fn launch_dependent(
    cta: Cta,
    #[len(n)] input: Prerequisite<Global<u32>>,
    #[len(n)] output: Prerequisite<GlobalElementsMut<u32, u32>>,
    n: u32,
) {
    // The next grid may start: its own `wait` waits for the end of this grid.
    cta.launch_dependents();
    let (input, output) = (input.wait(&cta), output.wait(&cta));
    output.elements(&cta).for_each(|(i, element)| {
        element.write(input.get(i).unwrap_or(0).wrapping_mul(3).wrapping_add(i as u32));
    });
}
