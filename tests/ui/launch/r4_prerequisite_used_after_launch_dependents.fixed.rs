//! To launch the grids after this one is no wait for the grid before it: it gives no memory.

use ptx::global::Global;
use ptx::launch::{Cta, Prerequisite};

pub fn kernel(cta: &Cta, x: Prerequisite<Global<f32>>) -> Global<f32> {
    cta.launch_dependents();
    x.wait(cta)
}
