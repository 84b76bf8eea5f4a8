//! The wait for the oldest group returns its tiles, not those of the newer groups.

use ptx::cp_async;
use ptx::global::GlobalTile;
use ptx::group::Cta;
use ptx::shared::SharedArray;

pub fn kernel(cta: &mut Cta, tiles: (SharedArray<f32, 1024>, SharedArray<f32, 1024>), src: GlobalTile<f32, 1024>) {
    cta.async_scope(tiles, |cta, (a, b)| {
        let queue = cp_async::load(cta, a, src).commit(cta).then(cta, cp_async::load(cta, b, src));
        let ((a, _src), newer) = queue.wait_oldest().sync(cta);
        #[cfg(not(fixed))]
        let _x = newer.get(0);
        let (b, _src) = newer.wait().sync(cta);
        #[cfg(fixed)]
        let _x = b.get(0);
        (a.to_async().sync(cta).into_free(), b.to_async().sync(cta).into_free())
    });
}
