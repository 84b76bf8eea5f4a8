//! A warp comes from its CTA.

use ptx::warp::Warp;

pub fn body() {
    Warp::new().sync();
}
