//! The consumers are not all threads of the CTA: no call there waits for all of them.

use ptx::global::GlobalTile;
use ptx::launch::Cta;
use ptx::pipeline::Pipeline;

pub fn body<'s>(cta: &mut Cta, pipeline: Pipeline<'s, [f32; 64], 2>, tile: GlobalTile<f32, 64>) -> Pipeline<'s, [f32; 64], 2> {
    let pipeline = pipeline.run(cta, |thread, producer| producer.load(thread, tile), |warps, consumer| consumer.wait(warps).release(warps));
    cta.sync();
    pipeline
}
