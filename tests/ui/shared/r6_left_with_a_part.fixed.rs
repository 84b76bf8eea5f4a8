//! The parts are joined again.

use ptx::launch::{Cta, trap};
use ptx::shared::SharedArray;

pub fn kernel(cta: &mut Cta, tile: SharedArray<f32, 64>) {
    cta.async_scope(tile, |_, tile| {
        let (first, second) = tile.split::<32, 32>();
        let Ok(tile) = first.join(second) else { trap() };
        tile
    });
}
