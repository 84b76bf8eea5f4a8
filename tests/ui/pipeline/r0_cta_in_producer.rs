//! The producer is one thread: none of its calls waits for the other threads of the CTA.

use ptx::cluster::{Cluster, Peers};
use ptx::global::GlobalTile;
use ptx::group::Cta;
use ptx::pipeline::Pipeline;

pub fn body<'s>(cta: &mut Cta, pipeline: Pipeline<'s, [f32; 64], 2>, tile: GlobalTile<f32, 64>) -> Pipeline<'s, [f32; 64], 2> {
    #[cfg(not(fixed))]
    {
        pipeline.run(
            cta,
            |thread, producer| {
                cta.sync();
                producer.load(thread, tile)
            },
            |warps, consumer| consumer.wait(warps).release(warps),
        ).join(cta)
    }
    #[cfg(fixed)]
    {
        cta.sync();
        pipeline.run(cta, |thread, producer| producer.load(thread, tile), |warps, consumer| consumer.wait(warps).release(warps)).join(cta)
    }
}

pub fn multicast<'c>(
    cluster: &mut Cluster<'c>,
    pair: Peers<'c, 2>,
    pipeline: Pipeline<'c, [f32; 64], 2>,
    tile: GlobalTile<f32, 64>,
) -> Pipeline<'c, [f32; 64], 2> {
    #[cfg(not(fixed))]
    {
        pipeline.multicast(pair).run(
            cluster,
            |thread, producer| {
                cluster.sync();
                producer.load(thread, tile)
            },
            |warps, consumer| consumer.wait(warps).release(warps),
        ).join(cluster)
    }
    #[cfg(fixed)]
    {
        cluster.sync();
        pipeline.multicast(pair).run(
            cluster,
            |thread, producer| producer.load(thread, tile),
            |warps, consumer| consumer.wait(warps).release(warps),
        ).join(cluster)
    }
}
