//! A tile has at least one element.

use ptx::global::Global;

pub fn kernel(x: Global<f32>) {
    #[cfg(not(fixed))]
    let (_tiles, _tail) = x.tiles::<0>();
    #[cfg(fixed)]
    let (_tiles, _tail) = x.tiles::<4>();
}
