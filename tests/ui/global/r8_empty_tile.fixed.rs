//! A tile has elements.

use ptx::global::Global;

pub fn kernel(x: Global<f32>) {
    let (_tiles, _tail) = x.tiles::<4>();
}
