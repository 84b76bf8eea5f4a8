//! An mbarrier tracks the copies of one group per phase.

use ptx::cp_async;
use ptx::global::GlobalTile;
use ptx::group::Cta;
use ptx::mbarrier::{Mbarrier, Uninit};
use ptx::shared::SharedArray;

pub fn kernel(
    cta: &mut Cta,
    tiles: (SharedArray<f32, 1024>, SharedArray<f32, 1024>),
    bar: Mbarrier<Uninit, 2>,
    src: GlobalTile<f32, 1024>,
) {
    cta.async_scope((tiles.0, tiles.1, bar), |cta, (a, b, bar)| {
        #[cfg(not(fixed))]
        let bar = bar.arrive(cta);
        #[cfg(fixed)]
        let bar = bar.arrive(cta).wait(cta);
        let group = cp_async::load(cta, a, src).and(cp_async::load(cta, b, src));
        let (bar, ((a, _), (b, _))) = group.arrive_on_noinc(cta, bar).wait(cta);
        (a.to_async().sync(cta).into_free(), b.to_async().sync(cta).into_free(), bar)
    });
}
