//! A tile without a swizzle has its elements in order.

use ptx::qualifier::swizzle_mode;
use ptx::shared::{Loaded, Shared};

pub fn first(tile: &Shared<'_, f32, 64, Loaded>) -> Option<f32> {
    #[cfg(not(fixed))]
    {
        tile.get(tile.swizzle_index(swizzle_mode::None)(0))
    }
    #[cfg(fixed)]
    {
        tile.get(tile.swizzle_index(swizzle_mode::B128)(0))
    }
}
