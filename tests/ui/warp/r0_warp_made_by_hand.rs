//! Only a `Cta` makes a warp.

use ptx::group::Cta;
use ptx::warp::Warp;

#[cfg(not(fixed))]
pub fn body() {
    Warp::new().sync();
}

#[cfg(fixed)]
pub fn body(cta: &Cta) {
    cta.warp().sync();
}
