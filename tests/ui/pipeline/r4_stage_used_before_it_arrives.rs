//! A stage is computed only after its wait.

use ptx::global::{Tiles, TilesMut};
use ptx::group::Cta;
use ptx::pipeline::{NextStage, RingMemory};

pub fn kernel(cta: &mut Cta, ring: RingMemory<[f32; 1024], 3>, x: Tiles<f32, 1024>, y: TilesMut<f32, 1024>) {
    cta.async_scope(ring, |cta, ring| {
        let ring = ring.start(cta, [x], y);
        #[cfg(not(fixed))]
        {
            ring.update(cta, |[x], y| x + y).store(cta).refill(cta).finish(cta).join(cta)
        }
        #[cfg(fixed)]
        {
            match ring.wait(cta) {
                NextStage::Full(full) => {
                    full.update(cta, |[x], y| x + y).store(cta).refill(cta).finish(cta).join(cta)
                }
                NextStage::Done(done) => done.join(cta),
            }
        }
    });
}
