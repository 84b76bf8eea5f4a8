//! A tensor map is made by the unsafe `from_raw`.

use ptx::tensor::{Box2, TensorMap, TensorMapObject};

pub fn kernel(object: *const TensorMapObject) {
    // SAFETY: the host passes such a tensor map.
    let _map = unsafe { TensorMap::<f32, Box2<64, 32>>::from_raw(object) };
}
