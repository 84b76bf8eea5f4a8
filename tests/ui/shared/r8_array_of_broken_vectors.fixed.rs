//! Threads write an array by vectors of 16 bytes.

use ptx::launch::Cta;
use ptx::shared::SharedArray;

pub fn kernel(cta: &Cta, tile: SharedArray<f32, 1024>) {
    cta.lend(tile, |cta, tile| tile.write(cta, |_| 0.0).to_async(cta).into_free());
}
