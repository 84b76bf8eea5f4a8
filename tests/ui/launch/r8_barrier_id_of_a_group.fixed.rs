//! A CTA has the barriers 0 to 15.

use ptx::launch::Cta;

pub fn kernel(cta: &Cta) {
    cta.sync_count::<15, 64>();
}
