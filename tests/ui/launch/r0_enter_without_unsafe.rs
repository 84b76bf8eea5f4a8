//! To enter is to promise that all threads make the same collective calls.

use ptx::launch::Cta;

pub fn kernel() {
    let (cta, (), _) = Cta::enter::<()>();
    cta.sync();
}
