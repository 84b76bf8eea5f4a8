//! A tensor map is made by the unsafe `from_raw`.

use ptx::tensor::{Box2, TensorMap, TensorMapObject};

pub fn kernel(object: *const TensorMapObject) {
    #[cfg(not(fixed))]
    let _map = TensorMap::<f32, Box2<64, 32>>::from_raw(object);
    // SAFETY: the host passes such a tensor map.
    #[cfg(fixed)]
    let _map = unsafe { TensorMap::<f32, Box2<64, 32>>::from_raw(object) };
}
