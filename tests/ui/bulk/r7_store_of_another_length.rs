//! A tile and the shared array that is stored to it have the same length.

use ptx::bulk;
use ptx::global::GlobalTileMut;
use ptx::group::Cta;
use ptx::shared::SharedArray;

#[cfg(not(fixed))]
pub fn kernel(cta: &mut Cta, tile: SharedArray<f32, 1024>, dst: GlobalTileMut<f32, 512>) {
    cta.async_scope(tile, |cta, tile| {
        let tile = tile.write(cta, |_| 1.0).to_async().sync(cta);
        let tile = bulk::store(cta, tile, dst).commit(cta).wait_read(cta).sync(cta);
        tile
    });
}

#[cfg(fixed)]
pub fn kernel(cta: &mut Cta, tile: SharedArray<f32, 1024>, dst: GlobalTileMut<f32, 1024>) {
    cta.async_scope(tile, |cta, tile| {
        let tile = tile.write(cta, |_| 1.0).to_async().sync(cta);
        let tile = bulk::store(cta, tile, dst).commit(cta).wait_read(cta).sync(cta);
        tile
    });
}
