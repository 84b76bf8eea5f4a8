//! A thread has one `Cta`: it cannot be cloned.

use ptx::group::Cta;

pub fn kernel(cta: Cta) {
    #[cfg(not(fixed))]
    helper(cta.clone());
    #[cfg(not(fixed))]
    helper(cta);
    #[cfg(fixed)]
    helper(&cta);
    #[cfg(fixed)]
    helper(&cta);
}

#[cfg(not(fixed))]
fn helper(cta: Cta) {
    cta.sync();
}

#[cfg(fixed)]
fn helper(cta: &Cta) {
    cta.sync();
}
