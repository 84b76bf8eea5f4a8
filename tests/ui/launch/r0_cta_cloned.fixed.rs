//! A thread has one `Cta`: it cannot be cloned.

use ptx::launch::Cta;

pub fn kernel(cta: Cta) {
    helper(&cta);
    helper(&cta);
}

fn helper(cta: &Cta) {
    cta.sync();
}
