//! A tensor that the grid writes is not loaded at arbitrary coordinates: another CTA may be writing there.

use ptx::group::Cta;
use ptx::mbarrier::{Mbarrier, Uninit};
use ptx::shared::SharedArray;
use ptx::tensor::{self, Box2, TensorMapMut};

pub fn kernel(cta: &mut Cta, map: TensorMapMut<f32, Box2<64, 32>>, tile: SharedArray<f32, 2048>, bar: Mbarrier<Uninit>) {
    #[cfg(not(fixed))]
    let Some(first) = map.at([0, 0]) else { return };
    #[cfg(fixed)]
    let Some((_, mine)) = map.tiles(cta).next_tile() else { return };
    cta.async_scope((tile, bar), |cta, (tile, bar)| {
        #[cfg(not(fixed))]
        let (bar, tile, _) = tensor::load(cta, bar, tile, first).wait(cta);
        #[cfg(fixed)]
        let (bar, tile, _) = tensor::load(cta, bar, tile, mine).wait(cta);
        (tile.release().sync(cta), bar)
    });
}
