//! The consumers make all rounds: the producer would load stages that nobody waits for.

use ptx::global::EveryTile;
use ptx::group::Cta;
use ptx::pipeline::{ConsumersBarrier, Pipeline};
use ptx::shared::{Free, Shared};

type Stages<'s> = Pipeline<'s, [f32; 64], 2>;
type Out<'s> = Shared<'s, f32, 64, Free>;

pub fn body<'s>(
    cta: &mut Cta,
    consumers: ConsumersBarrier<1>,
    (pipeline, out): (Stages<'s>, Out<'s>),
    tiles: EveryTile<f32, 64>,
) -> Stages<'s> {
    #[cfg(not(fixed))]
    let run = pipeline.run_tiles_with(cta, consumers, out, tiles, |_, rounds, out| (rounds, out.end()));
    #[cfg(fixed)]
    let run = pipeline.run_tiles_with(cta, consumers, out, tiles, |warps, rounds, out| {
        let (consumer, out) = rounds.run(warps, out, |tile, out| (tile.release(warps), out));
        (consumer, out.end())
    });
    run.join(cta).0
}
