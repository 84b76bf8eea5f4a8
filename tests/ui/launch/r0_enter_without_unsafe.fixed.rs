//! To enter is to promise that all threads make the same collective calls.

use ptx::launch::Cta;

pub fn kernel() {
    // SAFETY: the kernel's first call.
    let (cta, (), _) = unsafe { Cta::enter::<()>() };
    cta.sync();
}
