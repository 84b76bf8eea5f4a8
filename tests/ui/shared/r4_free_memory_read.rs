//! Free memory holds no values to read.

use ptx::group::Cta;
use ptx::shared::SharedArray;

pub fn kernel(cta: &mut Cta, tile: SharedArray<f32, 1024>) {
    #[cfg(not(fixed))]
    cta.async_scope(tile, |_, tile| {
        let _first = tile.get(0);
        tile
    });
    #[cfg(fixed)]
    cta.async_scope(tile, |cta, tile| {
        let tile = tile.write(cta, |_| 0.0).publish().sync(cta);
        let _first = tile.get(0);
        tile.to_async().sync(cta).into_free()
    });
}
