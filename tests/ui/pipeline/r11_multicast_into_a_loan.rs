//! What an inner scope lends is this CTA's alone: the others of the group may not have come to it.

use ptx::cluster::{Cluster, Group};
use ptx::global::GlobalTile;
use ptx::pipeline::PipelineMemory;

pub fn body<'c>(
    cluster: &mut Cluster<'c>,
    pair: Group<'c, 2>,
    memory: PipelineMemory<[f32; 64], 2>,
    tile: GlobalTile<f32, 64>,
) {
    cluster.cta_mut().lend(memory, |_, pipeline| {
        pipeline.run_multicast(
            cluster,
            pair,
            |producer| producer.load(tile),
            |consumer| consumer.wait().release(),
        )
    });
}
