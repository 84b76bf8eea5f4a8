//! A bulk copy moves a multiple of 16 bytes.

use ptx::global::GlobalMut;
use ptx::group::Cta;

pub fn kernel(cta: &Cta, y: *mut u8, n: usize) {
    // SAFETY: the kernel's caller passes such memory.
    #[cfg(not(fixed))]
    let y: GlobalMut<_, 40> = unsafe { GlobalMut::from_raw(y, n) };
    // SAFETY: the kernel's caller passes such memory.
    #[cfg(fixed)]
    let y: GlobalMut<_, 48> = unsafe { GlobalMut::from_raw(y, n) };
    let (_tiles, _tail) = y.tiles(cta);
}
