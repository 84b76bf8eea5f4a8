//! A copy owns its source until the source has been read.

use ptx::bulk;
use ptx::global::GlobalTileMut;
use ptx::launch::Cta;
use ptx::shared::SharedArray;

pub fn kernel(cta: &mut Cta, tile: SharedArray<f32, 1024>, dst: GlobalTileMut<f32, 1024>) {
    cta.async_scope(tile, |cta, tile| {
        let tile = tile.write(cta, |_| 1.0).to_async(cta);
        let group = bulk::store(cta, tile, dst).commit(cta);
        #[cfg(not(fixed))]
        {
            let free = tile.into_free();
            let (_tile, _writing) = group.wait_read(cta);
            free
        }
        #[cfg(fixed)]
        {
            let (tile, _writing) = group.wait_read(cta);
            tile.into_free()
        }
    });
}
