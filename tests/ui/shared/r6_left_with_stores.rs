//! Memory with unfenced stores does not leave the scope: a copy could read it.

use ptx::group::Cta;
use ptx::shared::SharedArray;

pub fn kernel(cta: &mut Cta, tile: SharedArray<f32, 1024>) {
    #[cfg(not(fixed))]
    cta.async_scope(tile, |cta, tile| tile.write(cta, |_| 0.0));
    #[cfg(fixed)]
    cta.async_scope(tile, |cta, tile| tile.write(cta, |_| 0.0).to_async().sync(cta).into_free());
}
