//! Without a shared tile, only threads of this CTA use the pipeline, and no barrier of the cluster is needed.

use ptx::cluster::Cluster;
use ptx::global::GlobalTile;
use ptx::pipeline::Pipeline;

pub fn body<'c>(
    cluster: &mut Cluster<'c>,
    pipeline: Pipeline<'c, [f32; 64], 2>,
    tile: GlobalTile<f32, 64>,
) -> Pipeline<'c, [f32; 64], 2> {
    #[cfg(not(fixed))]
    {
        pipeline
            .multicast(())
            .run(
                cluster,
                |thread, producer| producer.load(thread, tile),
                |warps, consumer| consumer.wait(warps).release(warps),
            )
            .join(cluster)
    }
    #[cfg(fixed)]
    {
        pipeline
            .run(
                cluster.cta_mut(),
                |thread, producer| producer.load(thread, tile),
                |warps, consumer| consumer.wait(warps).release(warps),
            )
            .join(cluster.cta_mut())
    }
}
