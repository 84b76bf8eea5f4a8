//! A tensor map of boxes that no copy can move is refused, however the map is used.

use ptx::tensor::{Box2, Box3, TensorMap, TensorMapMut, TensorMapObject, TensorMapReduce};

pub fn kernel(object: *const TensorMapObject) {
    // SAFETY: the host encodes such tensor maps.
    unsafe {
        #[cfg(not(fixed))]
        let _loaded = TensorMap::<f32, Box3<64, 64, 64>>::from_raw(object);
        #[cfg(not(fixed))]
        let _stored = TensorMapMut::<f32, Box2<3, 32>>::from_raw(object, [1, 1]);
        #[cfg(not(fixed))]
        let _reduced = TensorMapReduce::<f32, Box2<3, 32>>::from_raw(object);
        #[cfg(fixed)]
        let _loaded = TensorMap::<f32, Box3<64, 64, 32>>::from_raw(object);
        #[cfg(fixed)]
        let _stored = TensorMapMut::<f32, Box2<4, 32>>::from_raw(object, [1, 1]);
        #[cfg(fixed)]
        let _reduced = TensorMapReduce::<f32, Box2<4, 32>>::from_raw(object);
    }
}
