//! The grid before may still write its memory: it comes out by the wait.

use ptx::global::Global;
use ptx::launch::{Cta, Prerequisite};

pub fn kernel(cta: &Cta, x: Prerequisite<Global<f32>>) {
    let (_tiles, _tail) = x.wait(cta).tiles::<1024>();
    cta.sync();
}
