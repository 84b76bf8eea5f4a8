//! A slice of a pointer is made by `unsafe`: the caller vouches for the memory.

use ptx::global::{Global, GlobalMut};

pub fn kernel(x: *const f32, y: *mut f32, n: usize) {
    #[cfg(not(fixed))]
    let (_tiles, _tail) = Global::from_raw(x, n).tiles::<1024>();
    #[cfg(not(fixed))]
    let _y = GlobalMut::<f32, 1024>::from_raw(y, n);
    // SAFETY: the kernel's caller passes such memory.
    #[cfg(fixed)]
    let (_tiles, _tail) = unsafe { Global::from_raw(x, n) }.tiles::<1024>();
    // SAFETY: the kernel's caller passes such memory.
    #[cfg(fixed)]
    let _y = unsafe { GlobalMut::<f32, 1024>::from_raw(y, n) };
}
