//! The stages of a ring fit the shared memory of a CTA.

use ptx::global::{Tiles, TilesMut};
use ptx::group::Cta;
use ptx::pipeline::RingMemory;

#[cfg(not(fixed))]
pub fn kernel(cta: &mut Cta, ring: RingMemory<[f32; 4], 4294967297>, x: Tiles<f32, 4>, y: TilesMut<f32, 4>) {
    cta.async_scope(ring, |cta, ring| ring.start(cta, [x], y).finish(cta).join(cta));
}

#[cfg(fixed)]
pub fn kernel(cta: &mut Cta, ring: RingMemory<[f32; 4], 8>, x: Tiles<f32, 4>, y: TilesMut<f32, 4>) {
    cta.async_scope(ring, |cta, ring| ring.start(cta, [x], y).finish(cta).join(cta));
}
