//! A thread that has made one of its two arrivals has none left for its copies.

use ptx::cp_async;
use ptx::global::GlobalTile;
use ptx::group::Cta;
use ptx::mbarrier::{Mbarrier, Uninit};
use ptx::shared::SharedArray;

pub fn kernel(cta: &mut Cta, tile: SharedArray<f32, 64>, bar: Mbarrier<Uninit, 2>, src: GlobalTile<f32, 64>) {
    cta.async_scope((tile, bar), |cta, (tile, bar)| {
        #[cfg(not(fixed))]
        let bar = bar.arrive_no_complete::<1>(cta);
        let (bar, (tile, _src)) = cp_async::load(cta, tile, src).arrive_on_noinc(cta, bar).wait(cta);
        (tile.to_async().sync(cta).into_free(), bar)
    });
}
