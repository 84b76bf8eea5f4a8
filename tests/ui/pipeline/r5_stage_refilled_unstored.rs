//! A stage is refilled after its store.

use ptx::global::{Tiles, TilesMut};
use ptx::group::Cta;
use ptx::pipeline::{NextStage, RingMemory};

pub fn kernel(cta: &mut Cta, ring: RingMemory<[f32; 1024], 3>, x: Tiles<f32, 1024>, y: TilesMut<f32, 1024>) {
    cta.async_scope(ring, |cta, ring| {
        let mut ring = ring.start(cta, [x], y);
        loop {
            #[cfg(not(fixed))]
            match ring.wait(cta) {
                NextStage::Full(full) => ring = full.update(cta, |[x], y| x + y).refill(cta),
                NextStage::Done(done) => return done.join(cta),
            }
            #[cfg(fixed)]
            match ring.wait(cta) {
                NextStage::Full(full) => ring = full.update(cta, |[x], y| x + y).store(cta).refill(cta),
                NextStage::Done(done) => return done.join(cta),
            }
        }
    });
}
