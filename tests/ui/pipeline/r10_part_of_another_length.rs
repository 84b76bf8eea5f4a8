//! Each CTA of a group loads its part of a tensor's tile: in a group of two, a half.

use ptx::cluster::{Cluster, Peers};
use ptx::pipeline::Pipeline;
use ptx::tensor::{Box2, TensorMap};

#[cfg(not(fixed))]
pub fn body<'c>(
    cluster: &mut Cluster<'c>,
    pair: Peers<'c, 2>,
    pipeline: Pipeline<'c, [f32; 1024], 2>,
    map: TensorMap<f32, Box2<32, 32>>,
) -> Pipeline<'c, [f32; 1024], 2> {
    pipeline
        .multicast(pair)
        .run(
            cluster,
            |thread, producer| producer.load(thread, map.box_at([0, 0])),
            |warps, consumer| consumer.wait(warps).release(warps),
        )
        .join(cluster)
}

#[cfg(fixed)]
pub fn body<'c>(
    cluster: &mut Cluster<'c>,
    pair: Peers<'c, 2>,
    pipeline: Pipeline<'c, [f32; 1024], 2>,
    map: TensorMap<f32, Box2<32, 16>>,
) -> Pipeline<'c, [f32; 1024], 2> {
    pipeline
        .multicast(pair)
        .run(
            cluster,
            |thread, producer| producer.load(thread, map.box_at([0, pair.cta_rank() as i32])),
            |warps, consumer| consumer.wait(warps).release(warps),
        )
        .join(cluster)
}
