//! An mbarrier is initialized before a copy completes on it.

use ptx::bulk;
use ptx::global::GlobalTile;
use ptx::group::Cta;
use ptx::mbarrier::{Mbarrier, Uninit};
use ptx::shared::SharedArray;

pub fn kernel(cta: &mut Cta, bar: Mbarrier<Uninit>, tile: SharedArray<f32, 1024>, src: GlobalTile<f32, 1024>) {
    cta.async_scope(tile, |cta, tile| {
        #[cfg(not(fixed))]
        let (_bar, tile, _src) = bulk::load(cta, bar, tile, src).wait(cta);
        #[cfg(fixed)]
        let (_bar, tile, _src) = bulk::load(cta, bar.init(cta).sync(cta), tile, src).wait(cta);
        tile.release().sync(cta)
    });
}
