//! The byte count of a tile does not wrap around.

use ptx::global::{Global, GlobalMut, Tiles};

#[cfg(not(fixed))]
const N: usize = (1 << 62) + 4;
#[cfg(fixed)]
const N: usize = 4;

pub fn tiles(x: Global<u32>) -> Tiles<u32, N> {
    x.tiles().0
}

/// # Safety
///
/// The clauses of `GlobalMut::from_raw`.
pub unsafe fn slice(y: *mut u32, n: usize) -> GlobalMut<u32, N> {
    // SAFETY: the caller passes such memory (`# Safety`).
    unsafe { GlobalMut::from_raw(y, n) }
}
