//! A scope cannot end with the newer groups of a queue in flight.

use ptx::cp_async;
use ptx::global::GlobalTile;
use ptx::group::Cta;
use ptx::shared::SharedArray;

pub fn kernel(cta: &mut Cta, tiles: (SharedArray<f32, 1024>, SharedArray<f32, 1024>), src: GlobalTile<f32, 1024>) {
    cta.async_scope(tiles, |cta, (a, b)| {
        let queue = cp_async::load(cta, a, src).commit(cta).then(cta, cp_async::load(cta, b, src));
        let ((a, _src), newer) = queue.wait_oldest().sync(cta);
        #[cfg(not(fixed))]
        {
            (a.to_async().sync(cta).into_free(), newer)
        }
        #[cfg(fixed)]
        {
            let (b, _src) = newer.wait().sync(cta);
            (a.to_async().sync(cta).into_free(), b.to_async().sync(cta).into_free())
        }
    });
}
