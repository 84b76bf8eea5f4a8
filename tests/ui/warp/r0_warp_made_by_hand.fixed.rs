//! Only a `Cta` makes a warp.

use ptx::launch::Cta;

pub fn body(cta: &Cta) {
    cta.warp().sync();
}
