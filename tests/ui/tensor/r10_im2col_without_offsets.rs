//! A load of pixels (`.im2col`) also takes their offsets.

use ptx::group::Cta;
use ptx::mbarrier::{Mbarrier, Uninit};
use ptx::shared::SharedArray;
use ptx::tensor::{self, Im2col4, TensorMap};

pub fn kernel(cta: &mut Cta, map: TensorMap<f32, Im2col4<64, 32>>, tile: SharedArray<f32, 2048>, bar: Mbarrier<Uninit>) {
    #[cfg(not(fixed))]
    let Some(column) = map.at([0, -1, -1, 5]) else { return };
    #[cfg(fixed)]
    let Some(column) = map.at(([0, -1, -1, 5], [1, 2])) else { return };
    cta.async_scope((tile, bar), |cta, (tile, bar)| {
        let (bar, tile, _) = tensor::load(cta, bar, tile, column).wait(cta);
        (tile.release().sync(cta), bar)
    });
}
