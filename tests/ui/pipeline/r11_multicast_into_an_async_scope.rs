//! A multicast needs memory of the cluster's scope, which each CTA has.

use ptx::global::GlobalTile;
use ptx::launch::Cta;
use ptx::pipeline::PipelineMemory;

pub fn kernel(cta: &mut Cta, memory: PipelineMemory<[f32; 64], 2>, tile: GlobalTile<f32, 64>) {
    cta.async_scope(memory, |cta, pipeline| {
        cta.cluster_scope((), |mut cluster, ()| {
            let Some(pair) = cluster.whole::<2>() else { return (cluster, ()) };
            _ = pipeline.multicast(pair).run(
        &mut cluster,
        |thread, producer| producer.load(thread, tile),
                |warps, consumer| consumer.wait(warps).release(warps),
            );
            (cluster, ())
        });
        loop {}
    });
}
