//! The destination of a tensor copy is readable only after the wait.

use ptx::group::Cta;
use ptx::mbarrier::{Mbarrier, Uninit};
use ptx::shared::SharedArray;
use ptx::tensor::{self, Box2, TensorMap};

pub fn kernel(cta: &mut Cta, map: TensorMap<f32, Box2<64, 32>>, tile: SharedArray<f32, 2048>, bar: Mbarrier<Uninit>) {
    cta.async_scope((tile, bar), |cta, (tile, bar)| {
        let load = tensor::load(cta, bar, tile, map.box_at([0, 0]));
        #[cfg(not(fixed))]
        let _first = tile.get(0);
        let (bar, tile, _) = load.wait(cta);
        #[cfg(fixed)]
        let _first = tile.get(0);
        (tile.release().sync(cta), bar)
    });
}
