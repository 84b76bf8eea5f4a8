//! An mbarrier counts 2^20 - 1 bytes at most.

use ptx::global::Global;

pub fn kernel(x: Global<f32>) {
    #[cfg(not(fixed))]
    let (_tiles, _tail) = x.tiles::<262144>();
    #[cfg(fixed)]
    let (_tiles, _tail) = x.tiles::<262140>();
}
