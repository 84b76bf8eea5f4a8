//! A scope cannot end with a load in flight.

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
    #[cfg(not(fixed))]
    cta.async_scope((tile, bar), |cta, (tile, bar)| bulk::load(cta, bar, tile, src));
    #[cfg(fixed)]
    cta.async_scope((tile, bar), |cta, (tile, bar)| {
        let (bar, tile, _src) = bulk::load(cta, bar, tile, src).wait(cta);
        (tile.release().sync(cta), bar)
    });
}
