//! `cp.async` copies at least 4 bytes: bytes are copied by vectors.

use ptx::cp_async;
use ptx::global::Global;
use ptx::group::Cta;
use ptx::shared::SharedArray;

pub fn kernel(cta: &mut Cta, tile: SharedArray<u8, 64>, src: Global<u8>) {
    cta.async_scope(tile, |cta, tile| {
        #[cfg(not(fixed))]
        let (tile, _window) = cp_async::load_window(cta, tile, src.window(-1)).commit(cta).wait().sync(cta);
        #[cfg(fixed)]
        let (tile, _window) =
            cp_async::load_window(cta, tile, src.vector_window(-16)).commit(cta).wait().sync(cta);
        tile.to_async().sync(cta).into_free()
    });
}
