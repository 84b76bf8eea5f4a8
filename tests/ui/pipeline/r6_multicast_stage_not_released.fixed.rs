//! The stage goes back; what it held can be kept.

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
    let pipeline = pipeline.run_multicast(
        cluster,
        pair,
        |producer| producer.load(tile),
        |consumer| {
            let tile = consumer.wait();
            kept = tile.get(0);
            tile.release()
        },
    );
    (pipeline, kept)
}
