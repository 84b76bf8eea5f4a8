//! A box begins at a multiple of 128 bytes in shared memory, and so does the part of the second CTA.

use ptx::cluster::{Cluster, Peers};
use ptx::pipeline::Pipeline;
use ptx::tensor::{Box1, TensorMap};

#[cfg(not(fixed))]
pub fn body<'c>(
    cluster: &mut Cluster<'c>,
    pair: Peers<'c, 2>,
    pipeline: Pipeline<'c, [f32; 32], 2>,
    map: TensorMap<f32, Box1<16>>,
) -> Pipeline<'c, [f32; 32], 2> {
    pipeline
        .multicast(pair)
        .run(
            cluster,
            |thread, producer| producer.load(thread, map.box_at([0])),
            |warps, consumer| consumer.wait(warps).release(warps),
        )
        .join(cluster)
}

#[cfg(fixed)]
pub fn body<'c>(
    cluster: &mut Cluster<'c>,
    pair: Peers<'c, 2>,
    pipeline: Pipeline<'c, [f32; 64], 2>,
    map: TensorMap<f32, Box1<32>>,
) -> Pipeline<'c, [f32; 64], 2> {
    pipeline
        .multicast(pair)
        .run(
            cluster,
            |thread, producer| producer.load(thread, map.box_at([0])),
            |warps, consumer| consumer.wait(warps).release(warps),
        )
        .join(cluster)
}
