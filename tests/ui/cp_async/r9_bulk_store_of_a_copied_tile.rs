//! `cp.async` writes through the generic proxy: a fence comes before a bulk copy reads the tile.

use ptx::bulk;
use ptx::cp_async;
use ptx::global::GlobalTile;
use ptx::global::GlobalTileMut;
use ptx::group::Cta;
use ptx::shared::SharedArray;

pub fn kernel(cta: &mut Cta, tile: SharedArray<f32, 1024>, src: GlobalTile<f32, 1024>, dst: GlobalTileMut<f32, 1024>) {
    cta.async_scope(tile, |cta, tile| {
        let (tile, _src) = cp_async::load(cta, tile, src).commit(cta).wait().sync(cta);
        #[cfg(not(fixed))]
        let tile = bulk::store(cta, tile, dst).commit(cta).wait_read(cta).sync(cta);
        #[cfg(fixed)]
        let tile = bulk::store(cta, tile.to_async().sync(cta), dst).commit(cta).wait_read(cta).sync(cta);
        tile
    });
}
