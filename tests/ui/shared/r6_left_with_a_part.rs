//! A scope ends with the whole array, not with a part of it.

use ptx::launch::{Cta, trap};
use ptx::shared::SharedArray;

pub fn kernel(cta: &mut Cta, tile: SharedArray<f32, 64>) {
    cta.async_scope(tile, |_, tile| {
        #[cfg(not(fixed))]
        {
            let (first, _second) = tile.split::<32, 32>();
            first
        }
        #[cfg(fixed)]
        {
            let (first, second) = tile.split::<32, 32>();
            let Ok(tile) = first.join(second) else { trap() };
            tile
        }
    });
}
