//! The stage is released; values that were read from it can be kept.

use ptx::cluster::{Cluster, Group};
use ptx::global::GlobalTile;
use ptx::pipeline::Pipeline;

pub fn body<'c>(
    cluster: &mut Cluster<'c>,
    pair: Group<'c, 2>,
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
    );
    (pipeline, kept)
}
