//! A hand-off ends with every tile read: only then is the memory at rest.

use ptx::barrier::Handoff;
use ptx::launch::Cta;
use ptx::shared::SharedArray;

pub fn kernel(cta: &Cta, handoff: Handoff<1, 2, 64, 64>, tile: SharedArray<u32, 256>) {
    let warp = cta.warp();
    handoff.split(
        cta,
        tile,
        |producer| producer.send(&warp, |i| i as u32),
        |consumer| consumer.receive(&warp).release(&warp),
    );
}
