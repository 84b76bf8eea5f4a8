//! A row of a box has a multiple of 16 bytes.

use ptx::group::Cta;
use ptx::mbarrier::{Mbarrier, Uninit};
use ptx::shared::SharedArray;
use ptx::tensor::{self, Box2, TensorMap};

#[cfg(not(fixed))]
pub fn kernel(cta: &mut Cta, map: TensorMap<f32, Box2<3, 32>>, tile: SharedArray<f32, 96>, bar: Mbarrier<Uninit>) {
    cta.async_scope((tile, bar), |cta, (tile, bar)| {
        let (bar, tile, _) = tensor::load(cta, bar, tile, map.box_at([0, 0])).wait(cta);
        (tile.release().sync(cta), bar)
    });
}

#[cfg(fixed)]
pub fn kernel(cta: &mut Cta, map: TensorMap<f32, Box2<4, 32>>, tile: SharedArray<f32, 128>, bar: Mbarrier<Uninit>) {
    cta.async_scope((tile, bar), |cta, (tile, bar)| {
        let (bar, tile, _) = tensor::load(cta, bar, tile, map.box_at([0, 0])).wait(cta);
        (tile.release().sync(cta), bar)
    });
}
