//! A tensor map has 128 bytes: its size does not wrap around at 2^64.

use ptx::fence;
use ptx::global::GlobalTile;
use ptx::qualifier::scope;

#[cfg(not(fixed))]
pub fn acquire(tile: GlobalTile<u64, { (1 << 61) + 16 }>) {
    fence::proxy_tensormap_acquire(scope::Gpu, &tile);
}

#[cfg(fixed)]
pub fn acquire(tile: GlobalTile<u64, 16>) {
    fence::proxy_tensormap_acquire(scope::Gpu, &tile);
}
