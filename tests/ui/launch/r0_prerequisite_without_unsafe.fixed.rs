//! To put a slice behind the wait is to promise what holds from then on.

use ptx::global::Global;
use ptx::launch::{Cta, Prerequisite};

pub fn kernel(cta: &Cta, x: *const f32, n: usize) {
    // SAFETY: the kernel's contract.
    let x = unsafe { Prerequisite::new(Global::from_raw(x, n)) };
    let (_tiles, _tail) = x.wait(cta).tiles::<1024>();
}
