//! A box has 256 elements at most in each dimension.

use ptx::group::Cta;
use ptx::mbarrier::{Mbarrier, Uninit};
use ptx::shared::SharedArray;
use ptx::tensor::{self, Box2, TensorMap};

#[cfg(not(fixed))]
pub fn kernel(cta: &mut Cta, map: TensorMap<f32, Box2<512, 4>>, tile: SharedArray<f32, 2048>, bar: Mbarrier<Uninit>) {
    cta.async_scope((tile, bar), |cta, (tile, bar)| {
        let (bar, tile, _) = tensor::load(cta, bar, tile, map.box_at([0, 0])).wait(cta);
        (tile.release().sync(cta), bar)
    });
}

#[cfg(fixed)]
pub fn kernel(cta: &mut Cta, map: TensorMap<f32, Box2<256, 8>>, tile: SharedArray<f32, 2048>, bar: Mbarrier<Uninit>) {
    cta.async_scope((tile, bar), |cta, (tile, bar)| {
        let (bar, tile, _) = tensor::load(cta, bar, tile, map.box_at([0, 0])).wait(cta);
        (tile.release().sync(cta), bar)
    });
}
