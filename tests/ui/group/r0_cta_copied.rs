//! A thread has one `Cta`: it is moved, not copied.

use ptx::group::Cta;

pub fn kernel(cta: Cta) {
    #[cfg(not(fixed))]
    let held = cta;
    #[cfg(fixed)]
    let held = &cta;
    cta.sync();
    held.sync();
}
