//! On barrier 0 all threads of the CTA meet: a group of them would let it pass too early.

use ptx::launch::Cta;

pub fn kernel(cta: &Cta) {
    cta.sync_count::<1, 64>();
}
