//! Stores of threads are fenced before a tensor copy reads them.

use ptx::group::Cta;
use ptx::shared::SharedArray;
use ptx::tensor::{self, Box2, TensorTileMut};

pub fn kernel(cta: &mut Cta, tile: SharedArray<f32, 2048>, dst: TensorTileMut<f32, Box2<64, 32>>) {
    cta.async_scope(tile, |cta, tile| {
        #[cfg(not(fixed))]
        let tile = tile.write(cta, |i| i as f32);
        #[cfg(fixed)]
        let tile = tile.write(cta, |i| i as f32).to_async().sync(cta);
        let (tile, _) = tensor::store(cta, tile, dst).commit(cta).wait(cta).sync(cta);
        tile.into_free()
    });
}
