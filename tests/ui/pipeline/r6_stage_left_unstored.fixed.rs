//! A stage that has arrived is stored before the next wait of the ring.

use ptx::global::{Tiles, TilesMut};
use ptx::launch::Cta;
use ptx::pipeline::{RingMemory, NextStage};

pub fn kernel(cta: &mut Cta, ring: RingMemory<f32, 1024, 1, 3>, x: Tiles<f32, 1024>, y: TilesMut<f32, 1024>) {
    cta.async_scope(ring, |cta, ring| {
        let mut ring = ring.start(cta, [x], y);
        loop {
            match ring.wait(cta) {
                NextStage::Full(full) => ring = full.update(cta, |[x], y| x + y).store(cta).refill(cta),
                NextStage::Done(idle) => return idle,
            }
        }
    });
}
