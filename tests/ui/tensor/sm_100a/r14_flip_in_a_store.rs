//! Only loads have the flip of 8 bytes.

use ptx::qualifier::{swizzle_atomicity, swizzle_mode};
use ptx::tensor::{Box2, TensorMapMut, TensorMapObject, TensorMapReduce};

#[cfg(not(fixed))]
type Square = Box2<32, 32, (swizzle_mode::B128, swizzle_atomicity::B32FlipB8)>;
#[cfg(fixed)]
type Square = Box2<32, 32, (swizzle_mode::B128, swizzle_atomicity::B32)>;

pub fn kernel(object: *const TensorMapObject) {
    // SAFETY: the host encodes such tensor maps.
    unsafe {
        let _stored = TensorMapMut::<f32, Square>::from_raw(object, [1, 1]);
        let _reduced = TensorMapReduce::<f32, Square>::from_raw(object);
    }
}
