//! The swizzle of a box has the width of a row: with a wider swizzle, the copy would write more than the box.

use ptx::qualifier::swizzle_mode;
use ptx::tensor::{Box2, TensorMap, TensorMapMut, TensorMapObject};

pub fn kernel(object: *const TensorMapObject) {
    // SAFETY: the host encodes such tensor maps.
    unsafe {
        #[cfg(not(fixed))]
        let _loaded = TensorMap::<f32, Box2<16, 64, swizzle_mode::B128>>::from_raw(object);
        #[cfg(not(fixed))]
        let _stored = TensorMapMut::<f32, Box2<64, 16, swizzle_mode::B128>>::from_raw(object, [1, 1]);
        #[cfg(fixed)]
        let _loaded = TensorMap::<f32, Box2<16, 64, swizzle_mode::B64>>::from_raw(object);
        #[cfg(fixed)]
        let _stored = TensorMapMut::<f32, Box2<32, 32, swizzle_mode::B128>>::from_raw(object, [1, 1]);
    }
}
