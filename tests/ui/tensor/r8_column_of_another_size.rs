//! A column has 1 to 1024 pixels of 1 to 256 channels; a box has at least one element.

use ptx::tensor::{BoundingBox, Box2, Im2col3, TensorMap, TensorMapObject};

pub fn kernel(object: *const TensorMapObject, starts: BoundingBox<1>) {
    // SAFETY: the host encodes such tensor maps.
    unsafe {
        #[cfg(not(fixed))]
        let _box = TensorMap::<f32, Box2<0, 4>>::from_raw(object);
        #[cfg(not(fixed))]
        let _channels = TensorMap::<f32, Im2col3<0, 64>>::from_raw_within(object, starts);
        #[cfg(not(fixed))]
        let _channels = TensorMap::<f32, Im2col3<260, 64>>::from_raw_within(object, starts);
        #[cfg(not(fixed))]
        let _pixels = TensorMap::<f32, Im2col3<4, 0>>::from_raw_within(object, starts);
        #[cfg(not(fixed))]
        let _pixels = TensorMap::<f32, Im2col3<4, 1025>>::from_raw_within(object, starts);
        #[cfg(fixed)]
        let _box = TensorMap::<f32, Box2<4, 4>>::from_raw(object);
        #[cfg(fixed)]
        let _channels = TensorMap::<f32, Im2col3<4, 64>>::from_raw_within(object, starts);
        #[cfg(fixed)]
        let _channels = TensorMap::<f32, Im2col3<256, 64>>::from_raw_within(object, starts);
        #[cfg(fixed)]
        let _pixels = TensorMap::<f32, Im2col3<4, 1>>::from_raw_within(object, starts);
        #[cfg(fixed)]
        let _pixels = TensorMap::<f32, Im2col3<4, 1024>>::from_raw_within(object, starts);
    }
}
