//! A tile that is released at the barrier of a wait is not readable afterwards.

use ptx::cp_async;
use ptx::global::GlobalTile;
use ptx::launch::Cta;
use ptx::shared::SharedArray;

pub fn kernel(
    cta: &mut Cta,
    tiles: (SharedArray<f32, 1024>, SharedArray<f32, 1024>, SharedArray<f32, 1024>),
    src: GlobalTile<f32, 1024>,
) {
    cta.async_scope(tiles, |cta, (a, b, c)| {
        let (a, _src) = cp_async::load(cta, a, src).wait_all(cta);
        let queue = cp_async::load(cta, b, src).commit(cta).then(cta, cp_async::load(cta, c, src));
        #[cfg(not(fixed))]
        let (((b, _), queue), spent) = cta.sync_with((queue.wait_oldest_at_sync(), a.release_at_sync()));
        let _x = a.get(0);
        #[cfg(fixed)]
        let (((b, _), queue), spent) = cta.sync_with((queue.wait_oldest_at_sync(), a.release_at_sync()));
        let (c, _) = queue.wait(cta);
        (spent.to_async(cta).into_free(), b.to_async(cta).into_free(), c.to_async(cta).into_free())
    });
}
