//! A tensor map has 128 bytes.

use ptx::fence;
use ptx::global::GlobalTile;
use ptx::qualifier::scope;

#[cfg(not(fixed))]
pub fn kernel(map: GlobalTile<u64, 32>) {
    fence::proxy_tensormap_acquire(scope::Gpu, &map);
}

#[cfg(fixed)]
pub fn kernel(map: GlobalTile<u64, 16>) {
    fence::proxy_tensormap_acquire(scope::Gpu, &map);
}
