//! A tile is readable only after the wait for its copy.

use ptx::cp_async;
use ptx::global::GlobalTile;
use ptx::group::Cta;
use ptx::shared::SharedArray;

pub fn kernel(cta: &mut Cta, tile: SharedArray<f32, 1024>, src: GlobalTile<f32, 1024>) {
    cta.async_scope(tile, |cta, tile| {
        let group = cp_async::load(cta, tile, src).commit(cta);
        #[cfg(not(fixed))]
        let _x = tile.get(0);
        let (tile, _src) = group.wait().sync(cta);
        #[cfg(fixed)]
        let _x = tile.get(0);
        tile.to_async().sync(cta).into_free()
    });
}
