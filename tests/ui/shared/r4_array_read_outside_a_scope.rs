//! Shared memory at rest is accessed only in a scope.

use ptx::launch::Cta;
use ptx::shared::SharedArray;

pub fn kernel(cta: &Cta, tile: SharedArray<f32, 1024>) {
    let _first = tile.get(0);
}
