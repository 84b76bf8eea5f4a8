//! A tile has a power of two of lanes, at most a whole warp.

use ptx::warp::Warp;

pub fn body(warp: &Warp) {
    let _tile = warp.tile::<16>();
    let _tile = warp.tile::<32>();
}
