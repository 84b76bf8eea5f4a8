//! A hand-off ends with every tile read: only then is the memory at rest.

use ptx::barrier::Handoff;
use ptx::launch::Cta;
use ptx::shared::SharedArray;

pub fn kernel(cta: &mut Cta, handoff: Handoff<1, 2, 64, 64>, tile: SharedArray<u32, 256>) {
    handoff.split(
        cta,
        tile,
        |warp, producer| producer.send(warp, |i| i as u32),
        |warp, consumer| consumer.receive(warp).release(warp),
    );
}
