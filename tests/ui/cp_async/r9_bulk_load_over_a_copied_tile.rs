//! `cp.async` writes through the generic proxy: a fence comes before a bulk copy overwrites the tile.

use ptx::bulk;
use ptx::cp_async;
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
        let (tile, _src) = cp_async::load(cta, tile, src).commit(cta).wait().sync(cta);
        #[cfg(not(fixed))]
        let (bar, tile, _src) = bulk::load(cta, bar, tile.release().sync(cta), src).wait(cta);
        #[cfg(fixed)]
        let (bar, tile, _src) = bulk::load(cta, bar, tile.to_async().sync(cta).into_free(), src).wait(cta);
        (tile.release().sync(cta), bar)
    });
}
