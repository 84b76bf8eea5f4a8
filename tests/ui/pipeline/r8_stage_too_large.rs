//! The mbarrier of a stage counts 2^20 - 1 bytes at most.

use ptx::global::{Tiles, TilesMut};
use ptx::group::Cta;
use ptx::pipeline::RingMemory;

#[cfg(not(fixed))]
pub fn kernel(cta: &mut Cta, ring: RingMemory<[f32; 131072], 3>, x: Tiles<f32, 131072>, y: TilesMut<f32, 131072>) {
    cta.async_scope(ring, |cta, ring| ring.start(cta, [x], y).finish(cta).join(cta));
}

#[cfg(fixed)]
pub fn kernel(cta: &mut Cta, ring: RingMemory<[f32; 4096], 3>, x: Tiles<f32, 4096>, y: TilesMut<f32, 4096>) {
    cta.async_scope(ring, |cta, ring| ring.start(cta, [x], y).finish(cta).join(cta));
}
