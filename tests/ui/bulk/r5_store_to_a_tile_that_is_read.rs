//! The destination of a store is a tile that the CTA may write.

use ptx::bulk;
use ptx::global::{GlobalTile, GlobalTileMut};
use ptx::group::Cta;
use ptx::shared::SharedArray;

#[cfg(not(fixed))]
pub fn kernel(cta: &mut Cta, tile: SharedArray<f32, 1024>, dst: GlobalTile<f32, 1024>) {
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
