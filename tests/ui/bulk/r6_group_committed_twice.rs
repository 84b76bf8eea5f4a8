//! A group is committed once.

use ptx::bulk;
use ptx::global::GlobalTileMut;
use ptx::group::Cta;
use ptx::shared::SharedArray;

pub fn kernel(cta: &mut Cta, tile: SharedArray<f32, 1024>, dst: GlobalTileMut<f32, 1024>) {
    cta.async_scope(tile, |cta, tile| {
        let tile = tile.write(cta, |_| 1.0).to_async().sync(cta);
        #[cfg(not(fixed))]
        let (tile, _dst) = bulk::store(cta, tile, dst).commit(cta).commit(cta).wait(cta).sync(cta);
        #[cfg(fixed)]
        let (tile, _dst) = bulk::store(cta, tile, dst).commit(cta).wait(cta).sync(cta);
        tile.into_free()
    });
}
