//! Memory that threads may still read is released before the next copy overwrites it.

use ptx::cp_async;
use ptx::global::GlobalTile;
use ptx::group::Cta;
use ptx::shared::SharedArray;

pub fn kernel(cta: &mut Cta, tile: SharedArray<f32, 1024>, src: GlobalTile<f32, 1024>) {
    cta.async_scope(tile, |cta, tile| {
        let (tile, _src) = cp_async::load(cta, tile, src).commit(cta).wait().sync(cta);
        #[cfg(not(fixed))]
        let (tile, _src) = cp_async::load(cta, tile, src).commit(cta).wait().sync(cta);
        #[cfg(fixed)]
        let (tile, _src) = cp_async::load(cta, tile.release().sync(cta), src).commit(cta).wait().sync(cta);
        tile.to_async().sync(cta).into_free()
    });
}
