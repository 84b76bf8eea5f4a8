//! Each lane of a warp tells one CTA that a stage is free: three groups of 16 CTAs are too many for 32 lanes.

use ptx::cluster::{Cluster, Peers};
use ptx::global::GlobalTile;
use ptx::pipeline::Pipeline;

type Stage = (([f32; 64], [f32; 64]), [f32; 64]);

pub fn body<'c>(
    cluster: &mut Cluster<'c>,
    all: Peers<'c, 16>,
    pipeline: Pipeline<'c, Stage, 2>,
    tile: GlobalTile<f32, 64>,
) -> Pipeline<'c, Stage, 2> {
    #[cfg(not(fixed))]
    {
        pipeline
            .multicast(((all, all), all))
            .run(
                cluster,
                |thread, producer| producer.load(thread, ((tile, tile), tile)),
                |warps, consumer| consumer.wait(warps).release(warps),
            )
            .join(cluster)
    }
    #[cfg(fixed)]
    {
        pipeline
            .multicast(all)
            .run(
                cluster,
                |thread, producer| producer.load(thread, ((tile, tile), tile)),
                |warps, consumer| consumer.wait(warps).release(warps),
            )
            .join(cluster)
    }
}
