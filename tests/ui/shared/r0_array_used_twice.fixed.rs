//! An array has one handle.

use ptx::launch::Cta;
use ptx::shared::SharedArray;

pub fn kernel(cta: &mut Cta, tile: SharedArray<f32, 1024>) {
    cta.async_scope((tile,), |_, tiles| tiles);
}
