//! A ring consumes the tiles that it updates: they cannot be updated a second time.

use ptx::global::{Tiles, TilesMut};
use ptx::group::Cta;
use ptx::pipeline::RingMemory;

#[cfg(not(fixed))]
pub fn kernel(cta: &mut Cta, memory: RingMemory<[f32; 512], 4>, x: Tiles<f32, 512>, y: TilesMut<f32, 512>) {
    cta.async_scope(memory, |cta, ring| {
        let ring = ring.update_all(cta, [x], y, |[x], y| x + y).join(cta);
        ring.update_all(cta, [x], y, |[x], y| x * y).join(cta)
    });
}

#[cfg(fixed)]
pub fn kernel(
    cta: &mut Cta,
    memory: RingMemory<[f32; 512], 4>,
    x: Tiles<f32, 512>,
    y: TilesMut<f32, 512>,
    z: TilesMut<f32, 512>,
) {
    cta.async_scope(memory, |cta, ring| {
        let ring = ring.update_all(cta, [x], y, |[x], y| x + y).join(cta);
        ring.update_all(cta, [x], z, |[x], z| x * z).join(cta)
    });
}
