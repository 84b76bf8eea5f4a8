//! A multicast needs memory of the cluster's scope, which each CTA has.

use ptx::cluster::{Cluster, Peers};
use ptx::global::GlobalTile;
use ptx::group::Cta;
use ptx::pipeline::{Pipeline, PipelineMemory};

#[cfg(not(fixed))]
pub fn kernel(cta: &mut Cta, memory: PipelineMemory<[f32; 64], 2>, tile: GlobalTile<f32, 64>) {
    cta.async_scope(memory, |cta, pipeline| {
        cta.cluster_scope((), |mut cluster, ()| {
            let Some(pair) = cluster.whole::<2>() else { return (cluster, ()) };
            _ = pipeline
                .multicast(pair)
                .run(
                    &mut cluster,
                    |thread, producer| producer.load(thread, tile),
                    |warps, consumer| consumer.wait(warps).release(warps),
                )
                .join(&mut cluster);
            (cluster, ())
        });
        loop {}
    });
}

#[cfg(fixed)]
pub fn body<'c>(
    cluster: &mut Cluster<'c>,
    pair: Peers<'c, 2>,
    pipeline: Pipeline<'c, [f32; 64], 2>,
    tile: GlobalTile<f32, 64>,
) -> Pipeline<'c, [f32; 64], 2> {
    pipeline
        .multicast(pair)
        .run(
            cluster,
            |thread, producer| producer.load(thread, tile),
            |warps, consumer| consumer.wait(warps).release(warps),
        )
        .join(cluster)
}
