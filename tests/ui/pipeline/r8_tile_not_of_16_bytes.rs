//! A bulk copy moves a multiple of 16 bytes.

use ptx::global::{Tiles, TilesMut};
use ptx::group::Cta;
use ptx::pipeline::RingMemory;

#[cfg(not(fixed))]
pub fn kernel(cta: &mut Cta, ring: RingMemory<[f32; 1022], 3>, x: Tiles<f32, 1022>, y: TilesMut<f32, 1022>) {
    cta.async_scope(ring, |cta, ring| ring.start(cta, [x], y).finish(cta).join(cta));
}

#[cfg(fixed)]
pub fn kernel(cta: &mut Cta, ring: RingMemory<[f32; 1024], 3>, x: Tiles<f32, 1024>, y: TilesMut<f32, 1024>) {
    cta.async_scope(ring, |cta, ring| ring.start(cta, [x], y).finish(cta).join(cta));
}
