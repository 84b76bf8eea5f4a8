//! `Cta::enter` is unsafe: the caller promises that all threads make the same collective calls.

use ptx::launch::{Cta, LaunchShape};

pub enum Shape {}

impl LaunchShape for Shape {
    const BLOCK: [u32; 3] = [256, 1, 1];
}

pub fn kernel() {
    let (cta, (), _) = Cta::enter::<()>();
    cta.sync();
}

pub fn kernel_of_a_shape() {
    let (cta, (), _) = Cta::enter_with::<(), Shape>();
    cta.sync();
}
