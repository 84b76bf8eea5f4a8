//! A bulk copy moves a multiple of 16 bytes.

use ptx::global::Global;

pub fn kernel(x: Global<f32>) {
    #[cfg(not(fixed))]
    let (_tiles, _tail) = x.tiles::<1023>();
    #[cfg(fixed)]
    let (_tiles, _tail) = x.tiles::<1024>();
}
