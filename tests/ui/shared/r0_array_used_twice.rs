//! An array has one handle.

use ptx::group::Cta;
use ptx::shared::SharedArray;

pub fn kernel(cta: &mut Cta, tile: SharedArray<f32, 1024>) {
    #[cfg(not(fixed))]
    cta.async_scope((tile, tile), |_, tiles| tiles);
    #[cfg(fixed)]
    cta.async_scope((tile,), |_, tiles| tiles);
}
