//! A barrier counts threads by warps.

use ptx::launch::Cta;

pub fn kernel(cta: &Cta) {
    cta.sync_count::<1, 48>();
}
