//! A source of a user's type needs `unsafe impl`: the fence relies on its address.

use ptx::fence;
use ptx::global::{GlobalTile, TileSource};
use ptx::qualifier::scope;

#[cfg(not(fixed))]
pub struct Bytes([u8; 128]);

#[cfg(not(fixed))]
impl TileSource<Bytes, 1> for GlobalTile<f32, 32> {
    fn base(&self) -> *const Bytes {
        core::ptr::null()
    }
}

pub fn acquire(tile: GlobalTile<f32, 32>) {
    #[cfg(not(fixed))]
    fence::proxy_tensormap_acquire::<Bytes, 1>(scope::Gpu, &tile);
    #[cfg(fixed)]
    fence::proxy_tensormap_acquire(scope::Gpu, &tile);
}
