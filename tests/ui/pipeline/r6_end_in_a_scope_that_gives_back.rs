//! `end` leaves mbarriers valid: a scope that returns its memory needs them invalidated, by `join`.

use ptx::cluster::{Cluster, Peers};
use ptx::global::{GlobalTile, Tiles, TilesMut};
use ptx::group::Cta;
use ptx::pipeline::{Pipeline, PipelineMemory, Ring, RingMemory};
use ptx::shared::Ended;

type Memory = RingMemory<[f32; 1024], 3>;

#[cfg(not(fixed))]
pub fn update_all(cta: &mut Cta, ring: Memory, x: Tiles<f32, 1024>, y: TilesMut<f32, 1024>) -> Memory {
    cta.async_scope(ring, |cta, ring| ring.update_all(cta, [x], y, |[x], y| x + y).end())
}

#[cfg(fixed)]
pub fn update_all(cta: Cta, ring: Memory, x: Tiles<f32, 1024>, y: TilesMut<f32, 1024>) {
    cta.finish(ring, |cta, ring| ring.update_all(cta, [x], y, |[x], y| x + y).end());
}

pub fn finish(cta: &mut Cta, ring: Memory, x: Tiles<f32, 1024>, y: TilesMut<f32, 1024>) -> Memory {
    #[cfg(not(fixed))]
    {
        cta.async_scope(ring, |cta, ring| ring.start(cta, [x], y).finish(cta).end())
    }
    #[cfg(fixed)]
    {
        cta.async_scope(ring, |cta, ring| ring.start(cta, [x], y).finish(cta).join(cta))
    }
}

#[cfg(not(fixed))]
pub fn run(cta: &mut Cta, memory: PipelineMemory<[f32; 64], 2>, tile: GlobalTile<f32, 64>) -> PipelineMemory<[f32; 64], 2> {
    cta.async_scope(memory, |cta, pipeline: Pipeline<'_, [f32; 64], 2>| {
        pipeline.run(
            cta,
            |thread, producer| producer.load(thread, tile),
            |warps, consumer| consumer.wait(warps).release(warps),
        ).end()
    })
}

#[cfg(fixed)]
pub fn run(cta: Cta, memory: PipelineMemory<[f32; 64], 2>, tile: GlobalTile<f32, 64>) {
    cta.finish(memory, |cta, pipeline: Pipeline<'_, [f32; 64], 2>| {
        pipeline.run(
            cta,
            |thread, producer| producer.load(thread, tile),
            |warps, consumer| consumer.wait(warps).release(warps),
        ).end()
    });
}

#[cfg(not(fixed))]
pub fn run_multicast<'c>(
    cluster: &mut Cluster<'c>,
    pair: Peers<'c, 2>,
    pipeline: Pipeline<'c, [f32; 64], 2>,
    tile: GlobalTile<f32, 64>,
) -> Pipeline<'c, [f32; 64], 2> {
    pipeline.multicast(pair).run(
        cluster,
        |thread, producer| producer.load(thread, tile),
        |warps, consumer| consumer.wait(warps).release(warps),
    ).end()
}

#[cfg(fixed)]
pub fn run_multicast<'c>(
    cluster: &mut Cluster<'c>,
    pair: Peers<'c, 2>,
    pipeline: Pipeline<'c, [f32; 64], 2>,
    tile: GlobalTile<f32, 64>,
) -> Ended<'c, PipelineMemory<[f32; 64], 2>> {
    pipeline.multicast(pair).run(
        cluster,
        |thread, producer| producer.load(thread, tile),
        |warps, consumer| consumer.wait(warps).release(warps),
    ).end()
}

pub fn left_in_flight(cta: Cta, ring: Memory, x: Tiles<f32, 1024>, y: TilesMut<f32, 1024>) {
    #[cfg(not(fixed))]
    cta.finish(ring, |cta, ring| ring.start(cta, [x], y));
    #[cfg(fixed)]
    cta.finish(ring, |cta, ring| ring.start(cta, [x], y).finish(cta).end());
}

pub fn in_flight<'s>(ring: Ring<'s, [f32; 1024], 3>, x: Tiles<f32, 1024>, y: TilesMut<f32, 1024>, cta: &Cta) {
    #[cfg(not(fixed))]
    let _ = ring.update_all(cta, [x], y, |[x], y| x + y).end();
    #[cfg(fixed)]
    let _ = ring.finish(cta).join(cta).update_all(cta, [x], y, |[x], y| x + y).end();
}
