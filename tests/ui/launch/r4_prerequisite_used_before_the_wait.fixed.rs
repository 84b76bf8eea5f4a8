//! The previous grid may still write its memory: only the wait returns it.

use ptx::global::Global;
use ptx::launch::{Cta, Prerequisite};

pub fn kernel(cta: &Cta, x: Prerequisite<Global<f32>>) {
    let (_tiles, _tail) = x.wait(cta).tiles::<1024>();
    cta.sync();
}
