//! Free memory holds no values to update.

use ptx::group::Cta;
use ptx::shared::SharedArray;

pub fn kernel(cta: &mut Cta, tile: SharedArray<f32, 1024>) {
    #[cfg(not(fixed))]
    cta.async_scope(tile, |cta, tile| tile.update(cta, |_, x| x + 1.0).to_async().sync(cta).into_free());
    #[cfg(fixed)]
    cta.async_scope(tile, |cta, tile| tile.write(cta, |_| 1.0).to_async().sync(cta).into_free());
}
