//! The last scope ends with its own ring or pipeline; both are not used afterwards.

use ptx::global::{GlobalTile, Tiles, TilesMut};
use ptx::group::Cta;
use ptx::pipeline::{IdleRing, Pipeline, PipelineMemory, Ring, RingMemory};
use ptx::shared::Ended;

type Memory = RingMemory<[f32; 1024], 3>;

#[cfg(not(fixed))]
pub fn update_all<'a, 'b: 'a>(
    cta: &Cta,
    ring: IdleRing<'a, [f32; 1024], 3>,
    x: Tiles<f32, 1024>,
    y: TilesMut<f32, 1024>,
) -> Ended<'b, Memory> {
    ring.update_all(cta, [x], y, |[x], y| x + y).end()
}

#[cfg(fixed)]
pub fn update_all<'a>(
    cta: &Cta,
    ring: IdleRing<'a, [f32; 1024], 3>,
    x: Tiles<f32, 1024>,
    y: TilesMut<f32, 1024>,
) -> Ended<'a, Memory> {
    ring.update_all(cta, [x], y, |[x], y| x + y).end()
}

#[cfg(not(fixed))]
pub fn finish<'a, 'b: 'a>(cta: &Cta, ring: Ring<'a, [f32; 1024], 3>) -> Ended<'b, Memory> {
    ring.finish(cta).end()
}

#[cfg(fixed)]
pub fn finish<'a>(cta: &Cta, ring: Ring<'a, [f32; 1024], 3>) -> Ended<'a, Memory> {
    ring.finish(cta).end()
}

#[cfg(not(fixed))]
pub fn run<'a, 'b: 'a>(
    cta: &mut Cta,
    pipeline: Pipeline<'a, [f32; 64], 2>,
    tile: GlobalTile<f32, 64>,
) -> Ended<'b, PipelineMemory<[f32; 64], 2>> {
    pipeline.run(cta, |thread, producer| producer.load(thread, tile), |warps, consumer| consumer.wait(warps).release(warps)).end()
}

#[cfg(fixed)]
pub fn run<'a>(
    cta: &mut Cta,
    pipeline: Pipeline<'a, [f32; 64], 2>,
    tile: GlobalTile<f32, 64>,
) -> Ended<'a, PipelineMemory<[f32; 64], 2>> {
    pipeline.run(cta, |thread, producer| producer.load(thread, tile), |warps, consumer| consumer.wait(warps).release(warps)).end()
}

pub fn finished_twice<'s>(cta: &Cta, ring: Ring<'s, [f32; 1024], 3>) -> IdleRing<'s, [f32; 1024], 3> {
    #[cfg(not(fixed))]
    let _ = ring.finish(cta).end();
    ring.finish(cta).join(cta)
}
