//! A copy and its destination have the same length.

use ptx::cp_async;
use ptx::global::GlobalTile;
use ptx::group::Cta;
use ptx::shared::SharedArray;

pub fn kernel(cta: &mut Cta, tile: SharedArray<f32, 1024>, long: GlobalTile<f32, 2048>, src: GlobalTile<f32, 1024>) {
    #[cfg(not(fixed))]
    let _src = src;
    #[cfg(fixed)]
    let _long = long;
    cta.async_scope(tile, |cta, tile| {
        #[cfg(not(fixed))]
        let (tile, _src) = cp_async::load(cta, tile, long).commit(cta).wait().sync(cta);
        #[cfg(fixed)]
        let (tile, _src) = cp_async::load(cta, tile, src).commit(cta).wait().sync(cta);
        tile.to_async().sync(cta).into_free()
    });
}
