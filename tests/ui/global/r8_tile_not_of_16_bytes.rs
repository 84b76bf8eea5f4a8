//! A bulk copy moves a multiple of 16 bytes.

use ptx::global::Global;

pub fn kernel(x: Global<f32>) {
    let (_tiles, _tail) = x.tiles::<1023>();
}
