//! The number of coordinates is the rank of the tensor.

use ptx::group::Cta;
use ptx::mbarrier::{Mbarrier, Uninit};
use ptx::shared::SharedArray;
use ptx::tensor::{self, Box2, TensorMap};

pub fn kernel(cta: &mut Cta, map: TensorMap<f32, Box2<64, 32>>, tile: SharedArray<f32, 2048>, bar: Mbarrier<Uninit>) {
    cta.async_scope((tile, bar), |cta, (tile, bar)| {
        #[cfg(not(fixed))]
        let (bar, tile, _) = tensor::load(cta, bar, tile, map.box_at([0, 0, 0])).wait(cta);
        #[cfg(fixed)]
        let (bar, tile, _) = tensor::load(cta, bar, tile, map.box_at([0, 0])).wait(cta);
        (tile.release().sync(cta), bar)
    });
}
