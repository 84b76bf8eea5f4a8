//! A halo is also loaded into the shared array, after its pixels.

use ptx::group::Cta;
use ptx::mbarrier::{Mbarrier, Uninit};
use ptx::shared::SharedArray;
use ptx::tensor::{self, Im2colW3, TensorTile};

type Column = Im2colW3<32, 64, 2>;

#[cfg(not(fixed))]
pub fn kernel(cta: &mut Cta, tile: SharedArray<f32, 2048>, bar: Mbarrier<Uninit>, src: TensorTile<f32, Column>) {
    cta.async_scope((tile, bar), |cta, (tile, bar)| {
        let (bar, tile, _) = tensor::load(cta, bar, tile, src).wait(cta);
        (tile.release().sync(cta), bar)
    });
}

#[cfg(fixed)]
pub fn kernel(cta: &mut Cta, tile: SharedArray<f32, { Column::LEN }>, bar: Mbarrier<Uninit>, src: TensorTile<f32, Column>) {
    cta.async_scope((tile, bar), |cta, (tile, bar)| {
        let (bar, tile, _) = tensor::load(cta, bar, tile, src).wait(cta);
        (tile.release().sync(cta), bar)
    });
}
