//! A slice behind a `Prerequisite` is made by `unsafe`: the caller vouches for the memory after the wait.

use ptx::global::Global;
use ptx::group::Cta;
use ptx::launch::Prerequisite;

pub fn kernel(cta: &Cta, x: *const f32, n: usize) {
    // SAFETY: the kernel's caller passes such memory.
    #[cfg(not(fixed))]
    let x = Prerequisite::new(unsafe { Global::from_raw(x, n) });
    // SAFETY: the kernel's caller passes such memory.
    #[cfg(fixed)]
    let x = unsafe { Prerequisite::new(Global::from_raw(x, n)) };
    let (_tiles, _tail) = x.wait(cta).tiles::<1024>();
}
