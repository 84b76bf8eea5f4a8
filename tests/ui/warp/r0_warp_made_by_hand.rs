//! Only a `Cta` makes a warp.

use ptx::warp::Warp;

pub fn body() {
    Warp::new().sync();
}
