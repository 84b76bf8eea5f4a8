//! A tile has at least one element.

use ptx::global::Global;

pub fn kernel(x: Global<f32>) {
    let (_tiles, _tail) = x.tiles::<0>();
}
