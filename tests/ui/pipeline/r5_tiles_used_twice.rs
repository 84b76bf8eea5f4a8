//! A ring owns the tiles that it stores to.

use ptx::global::{Tiles, TilesMut};
use ptx::launch::Cta;
use ptx::pipeline::RingMemory;

pub fn kernel(cta: &mut Cta, ring: RingMemory<f32, 1024, 1, 3>, x: Tiles<f32, 1024>, mut y: TilesMut<f32, 1024>) {
    #[cfg(not(fixed))]
    cta.async_scope(ring, |cta, ring| ring.start(cta, [x], y).finish(cta));
    let _tile = y.next_tile();
    #[cfg(fixed)]
    cta.async_scope(ring, |cta, ring| ring.start(cta, [x], y).finish(cta));
}
