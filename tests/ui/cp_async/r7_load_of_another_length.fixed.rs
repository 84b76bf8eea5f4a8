//! A copy and its destination have the same length.

use ptx::cp_async;
use ptx::global::GlobalTile;
use ptx::launch::Cta;
use ptx::shared::SharedArray;

pub fn kernel(
    cta: &mut Cta,
    tile: SharedArray<f32, 1024>,
    long: GlobalTile<f32, 2048>,
    src: GlobalTile<f32, 1024>,
) {
    let _long = long;
    cta.async_scope(tile, |cta, tile| {
        let (tile, _src) = cp_async::load(cta, tile, src).wait_all(cta);
        tile.to_async(cta).into_free()
    });
}
