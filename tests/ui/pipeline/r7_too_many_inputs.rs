//! A ring takes as many inputs as its stages have room for.

use ptx::global::{Tiles, TilesMut};
use ptx::group::Cta;
use ptx::pipeline::RingMemory;

pub fn kernel(cta: &mut Cta, ring: RingMemory<[f32; 1024], 3>, x: Tiles<f32, 1024>, y: TilesMut<f32, 1024>) {
    #[cfg(not(fixed))]
    cta.async_scope(ring, |cta, ring| ring.start(cta, [x, x], y).finish(cta).join(cta));
    #[cfg(fixed)]
    cta.async_scope(ring, |cta, ring| ring.start(cta, [x], y).finish(cta).join(cta));
}
