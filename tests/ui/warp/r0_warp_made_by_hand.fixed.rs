//! A warp comes from its CTA.

use ptx::launch::Cta;

pub fn body(cta: &Cta) {
    cta.warp().sync();
}
