//! A loop that is left early leaves a ring in flight.

use ptx::global::{Tiles, TilesMut};
use ptx::group::Cta;
use ptx::pipeline::{NextStage, RingMemory};

pub fn kernel(cta: &mut Cta, ring: RingMemory<[f32; 1024], 3>, x: Tiles<f32, 1024>, y: TilesMut<f32, 1024>) {
    cta.async_scope(ring, |cta, ring| {
        let mut ring = ring.start(cta, [x], y);
        for _ in 0..7 {
            match ring.wait(cta) {
                NextStage::Full(full) => ring = full.update(cta, |[x], y| x + y).store(cta).refill(cta),
                NextStage::Done(done) => return done.join(cta),
            }
        }
        #[cfg(not(fixed))]
        {
            ring
        }
        #[cfg(fixed)]
        {
            ring.finish(cta).join(cta)
        }
    });
}
