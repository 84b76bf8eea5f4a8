//! A vector window is copied by whole vectors of sixteen bytes.

use ptx::cp_async;
use ptx::global::Global;
use ptx::group::Cta;
use ptx::shared::SharedArray;

#[cfg(not(fixed))]
pub fn kernel(cta: &mut Cta, tile: SharedArray<f32, 130>, src: Global<f32>) {
    cta.async_scope(tile, |cta, tile| {
        let (tile, _window) =
            cp_async::load_window(cta, tile, src.vector_window(-1)).commit(cta).wait().sync(cta);
        tile.to_async().sync(cta).into_free()
    });
}

#[cfg(fixed)]
pub fn kernel(cta: &mut Cta, tile: SharedArray<f32, 136>, src: Global<f32>) {
    cta.async_scope(tile, |cta, tile| {
        let (tile, _window) =
            cp_async::load_window(cta, tile, src.vector_window(-1)).commit(cta).wait().sync(cta);
        tile.to_async().sync(cta).into_free()
    });
}
