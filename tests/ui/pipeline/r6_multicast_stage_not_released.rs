//! A consumer that keeps a stage would block the producers of the whole group, and use the stage after the pipeline's end.

use ptx::cluster::{Cluster, Group};
use ptx::global::GlobalTile;
use ptx::pipeline::Pipeline;

pub fn body<'c>(
    cluster: &mut Cluster<'c>,
    pair: Group<'c, 2>,
    pipeline: Pipeline<'c, [f32; 64], 2>,
    tile: GlobalTile<f32, 64>,
) {
    let mut kept = None;
    pipeline.multicast(pair).run(
        cluster,
        |thread, producer| producer.load(thread, tile),
        |warps, consumer| {
            kept.replace(consumer.wait(warps));
            loop {}
        },
    );
    drop(kept);
}
