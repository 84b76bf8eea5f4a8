//! Only `Cta::enter` makes a `Cta`.

use ptx::launch::Cta;

pub fn kernel() {
    // SAFETY: the kernel's first call.
    let (cta, (), _) = unsafe { Cta::enter::<()>() };
    cta.sync();
}
