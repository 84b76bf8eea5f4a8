//! `Cta::enter` is unsafe: the caller promises that all threads make the same collective calls.

use ptx::group::Cta;
use ptx::launch::LaunchShape;

pub enum Shape {}

impl LaunchShape for Shape {
    const BLOCK: [u32; 3] = [256, 1, 1];
}

pub fn kernel() {
    #[cfg(not(fixed))]
    let (cta, (), _) = Cta::enter::<()>();
    // SAFETY: the kernel's first call.
    #[cfg(fixed)]
    let (cta, (), _) = unsafe { Cta::enter::<()>() };
    cta.sync();
}

pub fn kernel_of_a_shape() {
    #[cfg(not(fixed))]
    let (cta, (), _) = Cta::enter_with::<(), Shape>();
    // SAFETY: the kernel's first call, in a 1-D grid.
    #[cfg(fixed)]
    let (cta, (), _) = unsafe { Cta::enter_with::<(), Shape>() };
    cta.sync();
}
