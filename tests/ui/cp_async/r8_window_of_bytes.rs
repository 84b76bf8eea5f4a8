//! `cp.async` copies at least 4 bytes, so not single bytes.

use ptx::cp_async;
use ptx::global::Global;
use ptx::launch::Cta;
use ptx::shared::SharedArray;

pub fn kernel(cta: &mut Cta, tile: SharedArray<u8, 64>, src: Global<u8>) {
    cta.async_scope(tile, |cta, tile| {
        #[cfg(not(fixed))]
        let (tile, _window) = cp_async::load_window(cta, tile, src.window(-1)).wait_all(cta);
        #[cfg(fixed)]
        let (_, tail) = src.tiles::<64>();
        #[cfg(fixed)]
        let (tile, _tail) = cp_async::load_zero_filled(cta, tile, tail).wait_all(cta);
        tile.to_async(cta).into_free()
    });
}
