//! Byte counts come from types: no argument takes one.

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
        let (bar, tile, _src) = bulk::load(cta, bar, tile, src, 4096).wait(cta);
        #[cfg(fixed)]
        let (bar, tile, _src) = bulk::load(cta, bar, tile, src).wait(cta);
        (tile.release().sync(cta), bar)
    });
}
