//! A scope ends after its tensor copies have been waited for.

use ptx::group::Cta;
use ptx::shared::SharedArray;
use ptx::tensor::{self, Box2, TensorTileMut};

pub fn kernel(cta: &mut Cta, tile: SharedArray<f32, 2048>, dst: TensorTileMut<f32, Box2<64, 32>>) {
    cta.async_scope(tile, |cta, tile| {
        let tile = tile.write(cta, |i| i as f32).to_async().sync(cta);
        #[cfg(not(fixed))]
        {
            tensor::store(cta, tile, dst).commit(cta)
        }
        #[cfg(fixed)]
        {
            let (tile, _) = tensor::store(cta, tile, dst).commit(cta).wait(cta).sync(cta);
            tile.into_free()
        }
    });
}
