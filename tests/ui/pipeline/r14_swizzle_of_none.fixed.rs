//! A swizzle permutes the elements of a tile.

use ptx::pipeline::StageTile;
use ptx::qualifier::swizzle_mode;

pub fn first(tile: StageTile<'_, f32, 64>) -> Option<f32> {
    tile.get(tile.swizzle_index(swizzle_mode::B64)(0))
}
