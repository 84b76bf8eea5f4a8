//! A tile of a stage has whole rows.

use ptx::pipeline::StageTile;

#[cfg(not(fixed))]
pub fn broken_rows(tile: StageTile<'_, f32, 1024>) -> Option<f32> {
    tile.as_2d::<48>().get([0, 1])
}

#[cfg(fixed)]
pub fn whole_rows(tile: StageTile<'_, f32, 1024>) -> Option<f32> {
    tile.as_2d::<64>().get([0, 1])
}
