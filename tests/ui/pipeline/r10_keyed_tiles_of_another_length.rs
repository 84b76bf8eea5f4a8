//! The keyed tiles of a run have the length of a stage.

use ptx::global::Tiles;
use ptx::group::Cta;
use ptx::pipeline::{FinishedRun, Pipeline};

type Stages<'s> = Pipeline<'s, [f32; 128], 4>;

#[cfg(not(fixed))]
pub fn sum<'s>(cta: &mut Cta, stages: Stages<'s>, tiles: Tiles<f32, 64>, sum: &mut f32) -> FinishedRun<'s, [f32; 128], 4> {
    let mine = tiles.of_cta(cta).enumerate();
    stages.run_keyed_tiles(cta, mine, |_, i, tile| *sum += tile.get(i).unwrap_or(0.0))
}

#[cfg(fixed)]
pub fn sum<'s>(cta: &mut Cta, stages: Stages<'s>, tiles: Tiles<f32, 128>, sum: &mut f32) -> FinishedRun<'s, [f32; 128], 4> {
    let mine = tiles.of_cta(cta).enumerate();
    stages.run_keyed_tiles(cta, mine, |_, i, tile| *sum += tile.get(i).unwrap_or(0.0))
}
