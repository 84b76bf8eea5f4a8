//! To make a slice of a pointer is to promise what lies behind it.

use ptx::global::Global;

pub fn kernel(x: *const f32, n: usize) {
    let (_tiles, _tail) = Global::from_raw(x, n).tiles::<1024>();
}
