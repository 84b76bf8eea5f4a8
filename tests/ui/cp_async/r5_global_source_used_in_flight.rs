//! A copy in flight owns the tile of global memory that it reads.

use ptx::bulk;
use ptx::cp_async;
use ptx::global::GlobalTileMut;
use ptx::launch::Cta;
use ptx::shared::SharedArray;

pub fn kernel(cta: &mut Cta, tiles: (SharedArray<f32, 1024>, SharedArray<f32, 1024>), tile: GlobalTileMut<f32, 1024>) {
    cta.async_scope(tiles, |cta, (a, b)| {
        let group = cp_async::load(cta, a, tile).commit(cta);
        let b = b.write(cta, |_| 0.0).to_async(cta);
        #[cfg(fixed)]
        let (a, tile) = group.wait(cta);
        let (b, _writing) = bulk::store(cta, b, tile).commit(cta).wait_read(cta);
        #[cfg(not(fixed))]
        let (a, _tile) = group.wait(cta);
        (a.to_async(cta).into_free(), b.into_free())
    });
}
