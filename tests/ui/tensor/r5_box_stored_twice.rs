//! A box is stored again only after the wait for the first store.

use ptx::launch::Cta;
use ptx::shared::SharedArray;
use ptx::tensor::{self, Box2, TensorTileMut};

pub fn kernel(cta: &mut Cta, tile: SharedArray<f32, 2048>, dst: TensorTileMut<f32, Box2<64, 32>>) {
    cta.async_scope(tile, |cta, tile| {
        let tile = tile.write(cta, |i| i as f32).to_async(cta);
        let (tile, group) = tensor::store(cta, tile, dst).commit(cta).wait_read(cta);
        #[cfg(fixed)]
        let dst = group.wait(cta);
        let (tile, _) = tensor::store(cta, tile, dst).commit(cta).wait(cta);
        #[cfg(not(fixed))]
        group.wait(cta);
        tile.into_free()
    });
}
