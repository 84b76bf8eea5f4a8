//! Free memory holds no values to read.

use ptx::launch::Cta;
use ptx::shared::SharedArray;

pub fn kernel(cta: &mut Cta, tile: SharedArray<f32, 1024>) {
    cta.async_scope(tile, |_, tile| {
        let _first = tile.get(0);
        tile
    });
}
