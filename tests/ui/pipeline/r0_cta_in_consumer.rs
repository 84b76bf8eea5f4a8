//! The consumers are not all threads of the CTA: no call there waits for all of them.

use ptx::global::GlobalTile;
use ptx::launch::Cta;
use ptx::pipeline::Pipeline;

pub fn body<'s>(cta: &mut Cta, pipeline: Pipeline<'s, [f32; 64], 2>, tile: GlobalTile<f32, 64>) -> Pipeline<'s, [f32; 64], 2> {
    pipeline.run(
        cta,
        |thread, producer| producer.load(thread, tile),
        |warps, consumer| {
            let tile = consumer.wait(warps);
            cta.sync();
            tile.release(warps)
        },
    )
}
