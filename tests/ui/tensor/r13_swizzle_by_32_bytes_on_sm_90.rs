//! A swizzle of other units than 16 bytes needs a target that has `.swizzle_atomicity`.

use ptx::qualifier::{swizzle_atomicity, swizzle_mode};
use ptx::tensor::{Box2, TensorMap, TensorMapObject};

#[cfg(not(fixed))]
type Square = Box2<32, 32, (swizzle_mode::B128, swizzle_atomicity::B32)>;
#[cfg(fixed)]
type Square = Box2<32, 32, swizzle_mode::B128>;

pub fn kernel(object: *const TensorMapObject) {
    // SAFETY: the host encodes such a tensor map.
    _ = unsafe { TensorMap::<f32, Square>::from_raw(object) };
}
