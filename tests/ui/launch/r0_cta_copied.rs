//! A thread has one `Cta`: it is moved, not copied.

use ptx::launch::Cta;

pub fn kernel(cta: Cta) {
    let held = cta;
    cta.sync();
    held.sync();
}
