//! A tensor map of boxes that no copy can move is refused, however the map is used.

use ptx::tensor::{Box2, Box3, TensorMap, TensorMapMut, TensorMapObject, TensorMapReduce};

pub fn kernel(object: *const TensorMapObject) {
    // SAFETY: the host encodes such tensor maps.
    unsafe {
        let _loaded = TensorMap::<f32, Box3<64, 64, 64>>::from_raw(object);
        let _stored = TensorMapMut::<f32, Box2<3, 32>>::from_raw(object, [1, 1]);
        let _reduced = TensorMapReduce::<f32, Box2<3, 32>>::from_raw(object);
    }
}
