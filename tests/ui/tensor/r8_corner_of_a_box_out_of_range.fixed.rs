//! The corner of a box has signed coordinates: the index of a box times its size need not be one.

use ptx::tensor::{Box1, TensorMap, TensorTile};

pub fn tile(map: TensorMap<f32, Box1<32>>, index: u32) -> Option<TensorTile<f32, Box1<32>>> {
    map.at([i32::try_from(index.checked_mul(32)?).ok()?])
}
