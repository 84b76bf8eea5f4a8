//! A copy starts only into a free tile.

use ptx::bulk;
use ptx::global::GlobalTile;
use ptx::launch::Cta;
use ptx::mbarrier::{Mbarrier, Ready};
use ptx::shared::SharedArray;

pub fn kernel(
    cta: &mut Cta,
    tile: SharedArray<f32, 1024>,
    src: GlobalTile<f32, 1024>,
    one: Mbarrier<Ready>,
    other: Mbarrier<Ready>,
) {
    cta.async_scope((tile, one, other), |cta, (tile, one, other)| {
        let first = bulk::load(cta, one, tile, src);
        #[cfg(not(fixed))]
        let second = bulk::load(cta, other, tile, src);
        #[cfg(not(fixed))]
        let (one, _, _) = first.wait(cta);
        #[cfg(fixed)]
        let (one, tile, _) = first.wait(cta);
        #[cfg(fixed)]
        let second = bulk::load(cta, other, tile.release(cta), src);
        let (other, tile, _) = second.wait(cta);
        (tile.release(cta), one, other)
    });
}
