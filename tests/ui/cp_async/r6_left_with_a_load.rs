//! A scope cannot end with a copy in flight.

use ptx::cp_async;
use ptx::global::GlobalTile;
use ptx::group::Cta;
use ptx::shared::SharedArray;

pub fn kernel(cta: &mut Cta, tile: SharedArray<f32, 1024>, src: GlobalTile<f32, 1024>) {
    #[cfg(not(fixed))]
    cta.async_scope(tile, |cta, tile| cp_async::load(cta, tile, src).commit(cta));
    #[cfg(fixed)]
    cta.async_scope(tile, |cta, tile| {
        let (tile, _src) = cp_async::load(cta, tile, src).commit(cta).wait().sync(cta);
        tile.to_async().sync(cta).into_free()
    });
}
