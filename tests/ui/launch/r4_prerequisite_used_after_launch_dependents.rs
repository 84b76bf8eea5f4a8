//! `launch_dependents` does not wait for the previous grid, so it returns no memory.

use ptx::global::Global;
use ptx::group::Cta;
use ptx::launch::Prerequisite;

pub fn kernel(cta: &Cta, x: Prerequisite<Global<f32>>) -> Global<f32> {
    #[cfg(not(fixed))]
    {
        cta.launch_dependents(x)
    }
    #[cfg(fixed)]
    {
        cta.launch_dependents();
        x.wait(cta)
    }
}
