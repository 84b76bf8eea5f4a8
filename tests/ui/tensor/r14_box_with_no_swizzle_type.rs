//! The last parameter of a box is a swizzle of tensor maps.

use ptx::qualifier::interleave_layout;
use ptx::tensor::{Box2, TensorMap};

pub fn kernel(map: TensorMap<f32, Box2<32, 32, interleave_layout::B32>>) {
    _ = map.box_at([0, 0]);
}
