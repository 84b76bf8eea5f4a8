//! One group uses both arrivals of a phase: the next group waits for the phase first.

use ptx::cp_async;
use ptx::global::GlobalTile;
use ptx::launch::Cta;
use ptx::mbarrier::{Mbarrier, Ready};
use ptx::shared::SharedArray;

pub fn kernel(
    cta: &mut Cta,
    tiles: (SharedArray<f32, 64>, SharedArray<f32, 64>),
    bar: Mbarrier<Ready, 2>,
    src: GlobalTile<f32, 64>,
) {
    cta.async_scope((tiles.0, tiles.1, bar), |cta, (a, b, bar)| {
        let first = cp_async::load(cta, a, src).arrive_on_noinc(cta, bar);
        #[cfg(fixed)]
        let (bar, (a, _)) = first.wait(cta);
        let second = cp_async::load(cta, b, src).arrive_on_noinc(cta, bar);
        #[cfg(not(fixed))]
        let (_, (a, _)) = first.wait(cta);
        let (bar, (b, _)) = second.wait(cta);
        (a.to_async(cta).into_free(), b.to_async(cta).into_free(), bar)
    });
}
