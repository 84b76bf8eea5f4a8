//! The wait of a tensor copy returns its source.

use ptx::launch::Cta;
use ptx::shared::SharedArray;
use ptx::tensor::{self, Box2, TensorTileMut};

pub fn kernel(cta: &mut Cta, tile: SharedArray<f32, 2048>, dst: TensorTileMut<f32, Box2<64, 32>>) {
    cta.async_scope(tile, |cta, tile| {
        let tile = tile.write(cta, |i| i as f32).to_async(cta);
        let group = tensor::store(cta, tile, dst).commit(cta);
        #[cfg(not(fixed))]
        let _free = tile.into_free();
        let (tile, _) = group.wait(cta);
        tile.into_free()
    });
}
