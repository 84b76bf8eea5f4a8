//! To make a slice of a pointer is to promise what lies behind it.

use ptx::global::{Global, GlobalMut};

pub fn kernel(x: *const f32, y: *mut f32, n: usize) {
    // SAFETY: the kernel's contract.
    let (_tiles, _tail) = unsafe { Global::from_raw(x, n) }.tiles::<1024>();
    // SAFETY: as above.
    let _y = unsafe { GlobalMut::<f32, 1024>::from_raw(y, n) };
}
