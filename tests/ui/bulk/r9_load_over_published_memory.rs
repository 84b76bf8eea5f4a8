//! A barrier of threads is no proxy fence: a load over published memory needs the fence too.

use ptx::bulk;
use ptx::global::GlobalTile;
use ptx::group::Cta;
use ptx::mbarrier::{Mbarrier, Uninit};
use ptx::shared::SharedArray;

pub fn kernel(
    cta: &mut Cta,
    tile: SharedArray<f32, 1024>,
    bar: Mbarrier<Uninit>,
    src: GlobalTile<f32, 1024>,
) {
    cta.async_scope((tile, bar), |cta, (tile, bar)| {
        #[cfg(not(fixed))]
        let tile = tile.write(cta, |_| 1.0).publish().sync(cta);
        #[cfg(fixed)]
        let tile = tile.write(cta, |_| 1.0).publish().sync(cta).to_async().sync(cta).into_free();
        let (bar, tile, _src) = bulk::load(cta, bar, tile, src).wait(cta);
        (tile.release().sync(cta), bar)
    });
}
