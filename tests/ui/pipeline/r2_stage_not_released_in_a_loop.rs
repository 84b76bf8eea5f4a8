//! A consumer waits for the next stage after it has released the one before.

use ptx::global::GlobalTile;
use ptx::launch::Cta;
use ptx::pipeline::Pipeline;

pub fn sum<'s>(cta: &mut Cta, pipeline: Pipeline<'s, [f32; 64], 2>, tile: GlobalTile<f32, 64>, sum: &mut f32) {
    #[cfg(not(fixed))]
    let _ = pipeline.run(
        cta,
        |thread, producer| producer.load(thread, tile),
        |warps, consumer| {
            for _ in 0..4 {
                let stage = consumer.wait(warps);
                *sum += stage.get(0).unwrap_or(0.0);
            }
            consumer
        },
    );
    #[cfg(fixed)]
    let _ = pipeline.run(
        cta,
        |thread, producer| producer.load(thread, tile),
        |warps, mut consumer| {
            for _ in 0..4 {
                let stage = consumer.wait(warps);
                *sum += stage.get(0).unwrap_or(0.0);
                consumer = stage.release(warps);
            }
            consumer
        },
    );
}
