//! The corner of a box has signed coordinates: an unsigned product of index and size may not fit.

use ptx::tensor::{Box1, TensorMap, TensorTile};

pub fn tile(map: TensorMap<f32, Box1<32>>, index: u32) -> Option<TensorTile<f32, Box1<32>>> {
    #[cfg(not(fixed))]
    {
        map.at([32 * index])
    }
    #[cfg(fixed)]
    {
        map.at([i32::try_from(index.checked_mul(32)?).ok()?])
    }
}
