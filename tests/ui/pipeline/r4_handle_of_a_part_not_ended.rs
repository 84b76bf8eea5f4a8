//! The consumers end the handles that a run lends them, and no other handles: the CTA may use those again, or a copy.

use ptx::bulk;
use ptx::global::GlobalTileMut;
use ptx::group::Cta;
use ptx::pipeline::{ConsumersBarrier, Pipeline};
use ptx::shared::{Fenced, Free, Shared};

type Stages<'s> = Pipeline<'s, [f32; 64], 2>;
type Tile<'s> = Shared<'s, f32, 64, Free>;
type Consumers = ConsumersBarrier<1>;

pub fn given_back<'s>(
    cta: &mut Cta,
    consumers: Consumers,
    pipeline: Stages<'s>,
    tile: Tile<'s>,
) -> Stages<'s> {
    #[cfg(not(fixed))]
    let run = pipeline.run_with(
        cta,
        consumers,
        tile,
        |_, producer| producer,
        |warps, consumer, tile| (consumer, tile.write(warps, |i| i as f32)),
    );
    #[cfg(fixed)]
    let run = pipeline.run_with(
        cta,
        consumers,
        tile,
        |_, producer| producer,
        |warps, consumer, tile| (consumer, tile.write(warps, |i| i as f32).end()),
    );
    run.join(cta).0
}

pub fn another<'s>(
    cta: &mut Cta,
    consumers: Consumers,
    pipeline: Stages<'s>,
    (tile, other): (Shared<'s, f32, 64, Fenced>, Tile<'s>),
    to: GlobalTileMut<f32, 64>,
) -> Stages<'s> {
    #[cfg(not(fixed))]
    let run = pipeline.run_with(
        cta,
        consumers,
        tile,
        |_, producer| producer,
        |warps, consumer, tile| {
            let _storing = bulk::store(warps, tile, to).commit(warps);
            (consumer, other.end())
        },
    );
    #[cfg(fixed)]
    let run = pipeline.run_with(
        cta,
        consumers,
        tile,
        |_, producer| producer,
        |warps, consumer, tile| (consumer, bulk::store(warps, tile, to).commit(warps).wait_read(warps).end()),
    );
    #[cfg(fixed)]
    let _ = other;
    run.join(cta).0
}
