//! A tile of a stage has whole rows too.

use ptx::pipeline::Tile;

pub fn whole_rows(tile: Tile<'_, f32, 1024>) -> Option<f32> {
    tile.as_2d::<64>().get([0, 1])
}
