//! No handle leaves its scope.

use ptx::launch::Cta;
use ptx::shared::SharedArray;

pub fn kernel(cta: &mut Cta, tile: SharedArray<f32, 1024>) {
    let kept = cta.async_scope(tile, |_, tile| tile);
    drop(kept);
}
