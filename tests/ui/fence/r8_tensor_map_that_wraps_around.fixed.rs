//! A tensor map has 128 bytes, and not 2^64 more.

use ptx::fence;
use ptx::global::GlobalTile;
use ptx::qualifier::scope;

pub fn acquire(tile: GlobalTile<u64, 16>) {
    fence::proxy_tensormap_acquire(scope::Gpu, &tile);
}
