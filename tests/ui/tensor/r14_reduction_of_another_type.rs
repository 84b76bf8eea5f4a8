//! A reduction takes the element types that PTX lists for it.

use ptx::group::Cta;
use ptx::qualifier::op;
use ptx::shared::SharedArray;
use ptx::tensor::{self, Box1, TensorReduceTile};

pub fn kernel(cta: &mut Cta, tile: SharedArray<f32, 256>, sums: TensorReduceTile<f32, Box1<256>>) {
    cta.async_scope(tile, |cta, tile| {
        let tile = tile.write(cta, |i| i as f32).to_async().sync(cta);
        #[cfg(not(fixed))]
        let (tile, _) = tensor::reduce(cta, op::Max, tile, sums).commit(cta).wait(cta).sync(cta);
        #[cfg(fixed)]
        let (tile, _) = tensor::reduce(cta, op::Add, tile, sums).commit(cta).wait(cta).sync(cta);
        tile.into_free()
    });
}
