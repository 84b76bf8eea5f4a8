//! No handle leaves its scope.

use ptx::launch::Cta;
use ptx::shared::SharedArray;

pub fn kernel(cta: &mut Cta, tile: SharedArray<f32, 1024>) {
    let mut kept = None;
    cta.async_scope(tile, |_, tile| {
        kept.replace(tile);
        loop {}
    });
}
