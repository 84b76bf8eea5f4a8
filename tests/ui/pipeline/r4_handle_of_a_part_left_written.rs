//! A part returns a handle in the state in which it received the handle.

use ptx::barrier::NamedBarrier;
use ptx::launch::Cta;
use ptx::pipeline::Pipeline;
use ptx::shared::{Free, Shared};

type Stages<'s> = Pipeline<'s, [f32; 64], 2>;
type Tile<'s> = Shared<'s, f32, 64, Free>;

pub fn body<'s>(cta: &mut Cta, consumers: &mut NamedBarrier<1, 96>, pipeline: Stages<'s>, tile: Tile<'s>) -> Stages<'s> {
    #[cfg(not(fixed))]
    let (pipeline, (), _tile) = pipeline.run_with(
        cta,
        consumers,
        ((), tile),
        |_, producer, ()| (producer, ()),
        |warps, consumer, tile| (consumer, tile.write(warps, |i| i as f32)),
    );
    #[cfg(fixed)]
    let (pipeline, (), _tile) = pipeline.run_with(
        cta,
        consumers,
        ((), tile),
        |_, producer, ()| (producer, ()),
        |warps, consumer, tile| (consumer, tile.write(warps, |i| i as f32).to_async(warps).into_free()),
    );
    pipeline
}
