//! A tile has a power of two of lanes, at most a whole warp.

use ptx::warp::Warp;

pub fn body(warp: &Warp) {
    #[cfg(not(fixed))]
    let _tile = warp.tile::<12>();
    #[cfg(not(fixed))]
    let _tile = warp.tile::<64>();
    #[cfg(not(fixed))]
    let _tiles = warp.tiles::<24>();
    #[cfg(fixed)]
    let _tile = warp.tile::<16>();
    #[cfg(fixed)]
    let _tile = warp.tile::<32>();
}
