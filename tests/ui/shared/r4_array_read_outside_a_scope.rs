//! Shared memory at rest is accessed only in a scope.

use ptx::group::Cta;
use ptx::shared::SharedArray;

#[cfg(not(fixed))]
pub fn kernel(cta: &Cta, tile: SharedArray<f32, 1024>) {
    let _first = tile.get(0);
}

#[cfg(fixed)]
pub fn kernel(cta: &mut Cta, tile: SharedArray<f32, 1024>) {
    cta.async_scope(tile, |cta, tile| {
        let tile = tile.write(cta, |_| 0.0).publish().sync(cta);
        let _first = tile.get(0);
        tile.to_async().sync(cta).into_free()
    });
}
