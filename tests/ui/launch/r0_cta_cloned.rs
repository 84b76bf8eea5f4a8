//! A thread has one `Cta`: there is no second.

use ptx::launch::Cta;

pub fn kernel(cta: Cta) {
    helper(cta.clone());
    helper(cta);
}

fn helper(cta: Cta) {
    cta.sync();
}
