//! Threads write a tile of a matrix by vectors of sixteen bytes.

use ptx::global::GlobalMatrixMut;

#[cfg(not(fixed))]
pub unsafe fn kernel(c: *mut f32, n: u32) -> GlobalMatrixMut<f32, 64, 66> {
    // SAFETY: the caller passes `n` elements, which only this grid accesses.
    unsafe { GlobalMatrixMut::from_raw(c, 64, n) }
}

#[cfg(fixed)]
pub unsafe fn kernel(c: *mut f32, n: u32) -> GlobalMatrixMut<f32, 64, 64> {
    // SAFETY: the caller passes `n` elements, which only this grid accesses.
    unsafe { GlobalMatrixMut::from_raw(c, 64, n) }
}
