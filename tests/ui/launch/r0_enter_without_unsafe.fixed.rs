//! `Cta::enter` is unsafe: the caller promises that all threads make the same collective calls.

use ptx::launch::{Cta, LaunchShape};

pub enum Shape {}

impl LaunchShape for Shape {
    const BLOCK: [u32; 3] = [256, 1, 1];
}

pub fn kernel() {
    // SAFETY: the kernel's first call.
    let (cta, (), _) = unsafe { Cta::enter::<()>() };
    cta.sync();
}

pub fn kernel_of_a_shape() {
    // SAFETY: the kernel's first call, in a 1-D grid.
    let (cta, (), _) = unsafe { Cta::enter_with::<(), Shape>() };
    cta.sync();
}
