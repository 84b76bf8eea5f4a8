//! A tile of a stage has whole rows.

use ptx::pipeline::StageTile;

pub fn whole_rows(tile: StageTile<'_, f32, 1024>) -> Option<f32> {
    tile.as_2d::<64>().get([0, 1])
}
