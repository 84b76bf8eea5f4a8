//! Loaded memory is released before the scope ends: other threads may still read it.

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
        let (bar, tile, _src) = bulk::load(cta, bar, tile, src).wait(cta);
        #[cfg(not(fixed))]
        {
            (tile, bar)
        }
        #[cfg(fixed)]
        {
            (tile.release().sync(cta), bar)
        }
    });
}
