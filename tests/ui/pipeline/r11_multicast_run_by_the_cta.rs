//! CTAs that share tiles run their pipeline together.

use ptx::cluster::{Cluster, Peers};
use ptx::global::GlobalTile;
use ptx::pipeline::Pipeline;

type Stages<'c> = Pipeline<'c, [f32; 64], 2>;

pub fn body<'c>(cluster: &mut Cluster<'c>, pair: Peers<'c, 2>, pipeline: Stages<'c>, tile: GlobalTile<f32, 64>) -> Stages<'c> {
    #[cfg(not(fixed))]
    {
        pipeline.multicast(pair).run(
            cluster.cta_mut(),
            |thread, producer| producer.load(thread, tile),
            |warps, consumer| consumer.wait(warps).release(warps),
        ).join(cluster.cta_mut())
    }
    #[cfg(fixed)]
    {
        pipeline.multicast(pair).run(
            cluster,
            |thread, producer| producer.load(thread, tile),
            |warps, consumer| consumer.wait(warps).release(warps),
        ).join(cluster)
    }
}
