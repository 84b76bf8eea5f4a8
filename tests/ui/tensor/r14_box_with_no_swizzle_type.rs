//! The last parameter of a box is a swizzle of tensor maps.

use ptx::qualifier::{interleave_layout, swizzle_mode};
use ptx::tensor::{Box2, TensorMap, TensorMapMut};

#[cfg(not(fixed))]
pub struct Maps {
    pub from: TensorMap<f32, Box2<32, 32, interleave_layout::B32>>,
    pub to: TensorMapMut<f32, Box2<32, 32, interleave_layout::B32>>,
}

#[cfg(fixed)]
pub struct Maps {
    pub from: TensorMap<f32, Box2<32, 32, swizzle_mode::B128>>,
    pub to: TensorMapMut<f32, Box2<32, 32, swizzle_mode::B128>>,
}
