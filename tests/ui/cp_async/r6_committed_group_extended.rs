//! A committed group takes no more copies.

use ptx::cp_async;
use ptx::global::GlobalTile;
use ptx::group::Cta;
use ptx::shared::SharedArray;

pub fn kernel(cta: &mut Cta, tiles: (SharedArray<f32, 1024>, SharedArray<f32, 1024>), src: GlobalTile<f32, 1024>) {
    cta.async_scope(tiles, |cta, (a, b)| {
        #[cfg(not(fixed))]
        let group = cp_async::load(cta, a, src).commit(cta).and(cp_async::load(cta, b, src));
        #[cfg(fixed)]
        let group = cp_async::load(cta, a, src).and(cp_async::load(cta, b, src));
        let ((a, _), (b, _)) = group.commit(cta).wait().sync(cta);
        (a.to_async().sync(cta).into_free(), b.to_async().sync(cta).into_free())
    });
}
