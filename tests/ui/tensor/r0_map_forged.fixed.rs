//! A tensor map comes from the contract of `from_raw`.

use ptx::tensor::{Box2, TensorMap, TensorMapObject};

pub fn kernel(object: *const TensorMapObject) {
    // SAFETY: the host passes such a map.
    let _map = unsafe { TensorMap::<f32, Box2<64, 32>>::from_raw(object) };
}
