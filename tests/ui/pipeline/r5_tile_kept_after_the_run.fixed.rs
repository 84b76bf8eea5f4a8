//! Values that were read from a tile can be kept.

use ptx::global::GlobalTile;
use ptx::launch::Cta;
use ptx::pipeline::Pipeline;

pub fn body<'s>(cta: &mut Cta, pipeline: Pipeline<'s, [f32; 64], 2>, tile: GlobalTile<f32, 64>) -> Pipeline<'s, [f32; 64], 2> {
    let mut kept: Option<f32> = None;
    pipeline.run(
        cta,
        |thread, producer| producer.load(thread, tile).load(thread, tile),
        |warps, consumer| {
            let first = consumer.wait(warps);
            kept = first.tiles().get(0);
            first.release(warps).wait(warps).release(warps)
        },
    )
}
