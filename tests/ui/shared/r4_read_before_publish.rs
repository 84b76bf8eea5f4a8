//! Stores of other threads are readable after `publish`.

use ptx::group::Cta;
use ptx::shared::SharedArray;

pub fn kernel(cta: &mut Cta, tile: SharedArray<f32, 1024>) {
    cta.async_scope(tile, |cta, tile| {
        #[cfg(not(fixed))]
        let tile = tile.write(cta, |i| i as f32);
        #[cfg(fixed)]
        let tile = tile.write(cta, |i| i as f32).publish().sync(cta);
        let _vector = tile.get_vector(0);
        tile.to_async().sync(cta).into_free()
    });
}
