//! A slice of a pointer is made by `unsafe`: the caller vouches for the memory.

use ptx::global::{Global, GlobalMut};

pub fn kernel(x: *const f32, y: *mut f32, n: usize) {
    let (_tiles, _tail) = Global::from_raw(x, n).tiles::<1024>();
    let _y = GlobalMut::<f32, 1024>::from_raw(y, n);
}
