//! A `Prerequisite` is waited for once: the wait consumes it.

use ptx::global::Global;
use ptx::launch::{Cta, Prerequisite};

pub fn kernel(cta: &Cta, x: Prerequisite<Global<f32>>) {
    let (_tiles, _) = x.wait(cta).tiles::<1024>();
    let (_, _tail) = x.wait(cta).tiles::<1024>();
}
