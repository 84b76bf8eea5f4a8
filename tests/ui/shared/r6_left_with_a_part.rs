//! A scope ends with the whole array, not with a part of it.

use ptx::launch::Cta;
use ptx::shared::SharedArray;

pub fn kernel(cta: &mut Cta, tile: SharedArray<f32, 64>) {
    cta.async_scope(tile, |_, tile| {
        let (first, _second) = tile.split::<32, 32>();
        first
    });
}
