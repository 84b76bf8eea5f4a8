//! No handle leaves its scope.

use ptx::group::Cta;
use ptx::shared::SharedArray;

pub fn kernel(cta: &mut Cta, tile: SharedArray<f32, 1024>) {
    #[cfg(not(fixed))]
    let mut kept = None;
    #[cfg(not(fixed))]
    cta.async_scope(tile, |_, tile| {
        kept.replace(tile);
        loop {}
    });
    #[cfg(fixed)]
    let kept = cta.async_scope(tile, |_, tile| tile);
    #[cfg(fixed)]
    drop(kept);
}
