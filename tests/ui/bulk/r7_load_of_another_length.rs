//! A tile and the shared array that it is loaded into have the same length.

use ptx::bulk;
use ptx::global::GlobalTile;
use ptx::group::Cta;
use ptx::mbarrier::{Mbarrier, Uninit};
use ptx::shared::SharedArray;

#[cfg(not(fixed))]
pub fn kernel(
    cta: &mut Cta,
    tile: SharedArray<f32, 1024>,
    bar: Mbarrier<Uninit>,
    src: GlobalTile<f32, 2048>,
) {
    cta.async_scope((tile, bar), |cta, (tile, bar)| {
        let (bar, tile, _src) = bulk::load(cta, bar, tile, src).wait(cta);
        (tile.release().sync(cta), bar)
    });
}

#[cfg(fixed)]
pub fn kernel(
    cta: &mut Cta,
    tile: SharedArray<f32, 1024>,
    bar: Mbarrier<Uninit>,
    src: GlobalTile<f32, 1024>,
) {
    cta.async_scope((tile, bar), |cta, (tile, bar)| {
        let (bar, tile, _src) = bulk::load(cta, bar, tile, src).wait(cta);
        (tile.release().sync(cta), bar)
    });
}
