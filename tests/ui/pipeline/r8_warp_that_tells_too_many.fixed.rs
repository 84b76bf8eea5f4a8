//! A warp signals the CTAs of one group once.

use ptx::cluster::{Cluster, Group};
use ptx::global::GlobalTile;
use ptx::pipeline::Pipeline;

type Stage = (([f32; 64], [f32; 64]), [f32; 64]);

pub fn body<'c>(
    cluster: &mut Cluster<'c>,
    all: Group<'c, 16>,
    pipeline: Pipeline<'c, Stage, 2>,
    tile: GlobalTile<f32, 64>,
) -> Pipeline<'c, Stage, 2> {
    pipeline.multicast(all).run(
        cluster,
        |thread, producer| producer.load(thread, ((tile, tile), tile)),
        |warps, consumer| consumer.wait(warps).release(warps),
    )
}
