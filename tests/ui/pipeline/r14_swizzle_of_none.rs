//! A tile without a swizzle has its elements in order.

use ptx::pipeline::StageTile;
use ptx::qualifier::swizzle_mode;

pub fn first(tile: StageTile<'_, f32, 64>) -> Option<f32> {
    #[cfg(not(fixed))]
    {
        tile.get(tile.swizzle_index(swizzle_mode::None)(0))
    }
    #[cfg(fixed)]
    {
        tile.get(tile.swizzle_index(swizzle_mode::B64)(0))
    }
}
