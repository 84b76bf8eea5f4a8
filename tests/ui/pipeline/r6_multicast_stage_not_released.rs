//! A consumer that keeps a stage would block the producers of the whole group, and use the stage after the pipeline's end.

use ptx::cluster::{Cluster, Peers};
use ptx::global::GlobalTile;
use ptx::pipeline::Pipeline;

#[cfg(not(fixed))]
pub fn body<'c>(cluster: &mut Cluster<'c>, pair: Peers<'c, 2>, pipeline: Pipeline<'c, [f32; 64], 2>, tile: GlobalTile<f32, 64>) {
    let mut kept = None;
    pipeline.multicast(pair).run(
        cluster,
        |thread, producer| producer.load(thread, tile),
        |warps, consumer| {
            kept.replace(consumer.wait(warps));
            loop {}
        },
    ).join(cluster);
    drop(kept);
}

#[cfg(fixed)]
pub fn body<'c>(
    cluster: &mut Cluster<'c>,
    pair: Peers<'c, 2>,
    pipeline: Pipeline<'c, [f32; 64], 2>,
    tile: GlobalTile<f32, 64>,
) -> (Pipeline<'c, [f32; 64], 2>, Option<f32>) {
    let mut kept = None;
    let pipeline = pipeline.multicast(pair).run(
        cluster,
        |thread, producer| producer.load(thread, tile),
        |warps, consumer| {
            let tile = consumer.wait(warps);
            kept = tile.get(0);
            tile.release(warps)
        },
    ).join(cluster);
    (pipeline, kept)
}
